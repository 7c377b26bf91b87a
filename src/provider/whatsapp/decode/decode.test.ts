import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import type { NotificationItem } from '../../notification.ts';
import { decodeNotification } from './decode.ts';

const TESTDATA = new URL('../testdata/', import.meta.url);
const EXPECTED = '.expected.json';

/** One payload a file, named by what happened; beside each the items that it must decode to. */
const CASES = readdirSync(TESTDATA)
  .filter((name) => name.endsWith(EXPECTED))
  .map((name) => name.slice(0, -EXPECTED.length));

function read(name: string): Buffer {
  return readFileSync(new URL(name, TESTDATA));
}

function decodeItems(rawBody: Buffer | string): NotificationItem[] {
  const decoded = decodeNotification(Buffer.from(rawBody));
  assert.equal(decoded.kind, 'items');
  return decoded.kind === 'items' ? decoded.items : [];
}

function bodyOf(field: unknown, value: unknown): string {
  return JSON.stringify({ entry: [{ id: '900000000000001', changes: [{ field, value }] }] });
}

/** What is stored is JSON: members without a value are gone, and times are texts. */
function asJson(items: NotificationItem[]): unknown {
  return JSON.parse(JSON.stringify(items));
}

describe('decoding a notification of the provider', () => {
  for (const name of CASES) {
    it(`tells what happened: ${name.replaceAll('_', ' ')}`, () => {
      assert.deepEqual(asJson(decodeItems(read(`${name}.json`))), JSON.parse(read(name + EXPECTED).toString()));
    });
  }

  it('tells of a body that is not JSON, and of JSON that is no notification', () => {
    for (const body of ['', ' ', '{', 'Hello', '{"entry":[}', '\u0000', '\ufeff{}']) {
      assert.deepEqual(decodeNotification(Buffer.from(body)), { kind: 'not_json' });
    }
    for (const body of ['null', '7', '"text"', '[]', '{}', '{"entry":{}}', '{"entry":[]}']) {
      const [item, ...more] = decodeItems(body);
      assert.ok(item?.kind === 'undecodable' && item.reason === 'no_entries' && more.length === 0, body);
    }
  });

  it('has nothing to tell of a notification without any entry, and says so of every other one that holds none', () => {
    assert.deepEqual(decodeItems('{"object":"whatsapp_business_account","entry":[]}'), []);
    for (const more of ['', ',"entry":{}', ',"entry":null', ',"entry":"[]"', ',"entries":[]']) {
      const [item] = decodeItems(`{"object":"whatsapp_business_account"${more}}`);
      assert.ok(item?.kind === 'undecodable' && item.reason === 'no_entries', more);
    }
    assert.equal(decodeItems('{"object":"page","entry":[]}').length, 1);
  });

  it('loses no field that the provider is known to send, whatever its value', () => {
    const names = ['lifecycle', 'participants', 'settings', 'status'].map((part) => `group_${part}_update`);
    names.push(
      ...['account_alerts', 'account_review_update', 'account_settings_update', 'account_update', 'automatic_events'],
      ...['business_capability_update', 'business_username_update', 'business_username_updates', 'calls', 'flows'],
      ...['business_status_update', 'consumer_profile', 'template_correct_category_detection', 'tracking_events'],
      ...['history', 'message_echoes', 'message_template_components_update', 'message_template_quality_update'],
      ...['message_template_status_update', 'messages', 'messaging_handovers', 'partner_solutions'],
      ...['payment_configuration_update', 'phone_number_name_update', 'phone_number_quality_update', 'security'],
      ...['smb_app_state_sync', 'smb_message_echoes', 'standby', 'template_category_update', 'user_id_update'],
      ...['user_preferences'],
    );
    for (const field of names) {
      for (const value of [
        {},
        { event: 'NEWS', metadata: { phone_number_id: '800000000000002' } },
        [1],
        'text',
        null,
      ]) {
        const [item, ...more] = decodeItems(bodyOf(field, value));
        assert.equal(more.length, 0);
        assert.equal(item?.businessAccountId, '900000000000001');
        assert.equal(item.label.split('.')[0], field);
        if (item.kind === 'other') assert.deepEqual(item.content, value);
      }
    }
  });

  it('puts into a label nothing that only looks like a word', () => {
    const labels = ['Ünknown field', 'a'.repeat(65), 'a b'].flatMap((field) => decodeItems(bodyOf(field, {})));
    assert.deepEqual(
      labels.map((item) => item.label),
      ['unknown', 'unknown', 'unknown'],
    );
  });

  it('takes a type named like a member of every object for an unknown type', () => {
    const value = { metadata: { phone_number_id: '1' }, messages: [{ id: 'wamid.X', type: 'constructor' }] };
    const [item] = decodeItems(bodyOf('messages', value));
    assert.ok(item?.kind === 'inbound');
    assert.deepEqual(item.content, { id: 'wamid.X', type: 'constructor' });
  });

  it('passes a whole number of any length on as a number, and reads an id of such a number', () => {
    const order = '{"product_items":[{"item_price":12345678901234567,"quantity":-9007199254740993}]}';
    const message = `{"id":12345678901234567891,"type":"order","order":${order}}`;
    const value = `{"metadata":{"phone_number_id":12345678901234567892},"messages":[${message},12345678901234567893]}`;
    const [item, bare] = decodeItems(`{"entry":[{"changes":[{"field":"messages","value":${value}}]}]}`);
    assert.ok(item?.kind === 'inbound');
    assert.equal(JSON.stringify(item.content), order);
    assert.deepEqual([item.providerMessageId, item.phoneNumberId], ['12345678901234567891', '12345678901234567892']);
    assert.ok(bare?.kind === 'undecodable' && bare.reason === 'not_an_object');
  });

  it('reads a failure by its code and subcode, written as numbers or in digits, in a list or alone', () => {
    const codeOf = (errors: unknown) => {
      const statuses = [{ id: 'wamid.X', status: 'failed', errors }];
      const [item] = decodeItems(bodyOf('messages', { metadata: { phone_number_id: '1' }, statuses }));
      return item?.kind === 'status' ? item.errors[0]?.code : undefined;
    };
    for (const form of [Number, String])
      for (const inList of [(error: object) => [error], (error: object) => error]) {
        assert.equal(codeOf(inList({ code: form(131_047) })), 'window_closed');
        assert.equal(codeOf(inList({ code: form(100) })), 'message_invalid');
        assert.equal(codeOf(inList({ code: form(100), error_subcode: form(33) })), 'sender_unregistered');
      }
  });

  it('reads a restriction that stands alone in the place of a list', () => {
    const restriction_info = { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION' };
    const [item] = decodeItems(bodyOf('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info }));
    assert.ok(item?.kind === 'account_update');
    assert.deepEqual(item.restrictions, [{ type: 'restricted_add_phone_number_action', until: undefined }]);
  });

  it('gives the whole message where its type is not told, or its content is none', () => {
    for (const more of [{}, { type: 'sparkle', sparkle: 'bright' }]) {
      const message = { id: 'wamid.X', ...more };
      const [item] = decodeItems(bodyOf('messages', { metadata: { phone_number_id: '1' }, messages: [message] }));
      assert.ok(item?.kind === 'inbound');
      assert.deepEqual([item.type, item.content], [more.type ?? 'unknown', message]);
    }
  });

  it('refuses a message id that no index could hold', () => {
    const statuses = [{ id: 'w'.repeat(513), status: 'sent' }];
    const [item] = decodeItems(bodyOf('messages', { metadata: { phone_number_id: '1' }, statuses }));
    assert.ok(item?.kind === 'undecodable' && item.reason === 'no_message_id');
  });

  it('says what is missing of a changed user id, and of a quality', () => {
    const update = { wa_id: '447700900123', user_id: { previous: 'GB.1' } };
    const [ofUserId] = decodeItems(
      bodyOf('user_id_update', { metadata: { phone_number_id: '1' }, user_id_update: [update] }),
    );
    assert.ok(ofUserId?.kind === 'undecodable' && ofUserId.reason === 'no_user_id');
    const template = { message_template_name: 'a', message_template_language: 'en', new_quality_score: null };
    const [ofQuality] = decodeItems(bodyOf('message_template_quality_update', template));
    assert.ok(ofQuality?.kind === 'undecodable' && ofQuality.reason === 'no_value');
  });

  it('reads a limit from whichever member tells it, as a word or as a number of people', () => {
    const limitOf = (field: string, value: object) => {
      const [item] = decodeItems(bodyOf(field, { display_phone_number: '15550100200', event: 'ONBOARDING', ...value }));
      return item?.kind === 'phone_number' || item?.kind === 'business_capability' ? item.messagingLimit : item?.kind;
    };
    assert.equal(limitOf('phone_number_quality_update', { current_limit: 'TIER_1K' }), 'tier_1k');
    assert.equal(limitOf('phone_number_quality_update', { current_limit: 'TIER_NOT_SET' }), undefined);
    for (const [people, limit] of [
      [250, 'tier_250'],
      [2_000, 'tier_2k'],
      ['2500', 'tier_2500'],
      [0, 'tier_0'],
      [-1, 'tier_unlimited'],
    ] as const)
      assert.equal(limitOf('business_capability_update', { max_daily_conversation_per_phone: people }), limit);
  });

  it('reads as many of the shortest statuses that the provider writes as have room in a body', () => {
    const when = { timestamp: '1749416383', recipient_id: '16505551234' };
    const status = { id: `wamid.${'x'.repeat(49)}`, status: 'sent', ...when };
    const count = Math.floor((4 << 20) / (JSON.stringify(status).length + 1));
    const statuses = Array.from({ length: count }, () => status);
    const items = decodeItems(bodyOf('messages', { metadata: { phone_number_id: '1' }, statuses }));
    assert.deepEqual([items.length, items.at(-1)?.kind], [count, 'status']);
  });

  it('stops at a number of items that the provider never sends', () => {
    const items = decodeItems(`{"entry":[${'1,'.repeat(40_000)}1]}`);
    const last = items.at(-1);
    assert.equal(items.length, 32_001);
    assert.ok(last?.kind === 'undecodable' && last.reason === 'too_many_items');
  });

  it('cuts what nests too deep for a database, and spares the other items', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const good = '{"id":"wamid.GOOD","status":"read"}';
    const bad = `{"id":"wamid.BAD","type":"text","text":${deep}}`;
    const value = `{"metadata":{"phone_number_id":"1"},"messages":[${bad}],"statuses":[${good}],"n":12345678901234567890}`;
    const items = decodeItems(`{"entry":[{"changes":[{"field":"messages","value":${value}}]}]}`);
    assert.deepEqual(
      items.map((item) => item.kind),
      ['status', 'inbound'],
    );
    assert.ok(JSON.stringify(items).length < 1_000);
  });
});

describe('any input', () => {
  it('never makes it throw: bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodeNotification(Buffer.from(bytes))));
  });

  it('never makes it throw, and what it gives can be stored: JSON in every place of a notification', () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter });
    const field = fc.oneof(json, fc.constantFrom('messages', 'calls', 'account_update', 'user_id_update', 'security'));
    const value = fc.oneof(json, fc.dictionary(fc.constantFrom('statuses', 'messages', 'errors', 'metadata'), json));
    const change = fc.oneof(json, fc.record({ field, value }));
    const entry = fc.oneof(json, fc.record({ id: json, time: json, changes: fc.oneof(json, fc.array(change)) }));
    const body = fc.oneof(json, fc.record({ entry: fc.oneof(json, fc.array(entry)) }));
    fc.assert(fc.property(body, (candidate) => assertStorable(JSON.stringify(candidate))));
  });

  it('never makes it throw, and what it gives can be stored: payloads with one place changed', () => {
    const payloads = CASES.map((name) => read(`${name}.json`).toString());
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }),
      fc.constantFrom(-0, 1e308, 2 ** 53, '', '\0', '\ud800', '__proto__', [[]], {}, null),
    );
    fc.assert(
      fc.property(fc.constantFrom(...payloads), fc.nat(), odd, (payload, place, replacement) => {
        assertStorable(replacePlace(payload, place, replacement));
      }),
      { numRuns: 1_000 },
    );
  });

  it('costs no good status its effect: whatever stands beside it', () => {
    const junk = fc.jsonValue({ maxDepth: 3 }).map((value) => ({ id: undefined, value }));
    const good = fc.stringMatching(/^[A-Za-z0-9]{1,20}$/).map((id) => ({ id, value: { id, status: 'delivered' } }));
    fc.assert(
      fc.property(fc.array(fc.oneof(junk, good), { maxLength: 20 }), (elements) => {
        const statuses = elements.map((element) => element.value);
        const items = decodeItems(bodyOf('messages', { metadata: { phone_number_id: '1' }, statuses }));
        const ids = items.flatMap((item) => (item.kind === 'status' ? [item.providerMessageId] : []));
        assert.deepEqual(
          ids,
          elements.flatMap((element) => element.id ?? []),
        );
      }),
    );
  });
});

/** Something comes of all but an empty list of entries. PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
function assertStorable(body: string): void {
  const items = decodeItems(body);
  const text = JSON.stringify(items);
  assert.ok(items.length > 0 || Object(JSON.parse(body)).entry?.length === 0, body);
  assert.ok(!/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(text), text);
}

/** The payload with the value at its n-th place, counted as JSON is read, replaced. */
function replacePlace(payload: string, place: number, replacement: unknown): string {
  const count = visit(payload, () => false).places;
  return visit(payload, (seen) => seen === place % count, replacement).text;
}

function visit(payload: string, isPlace: (seen: number) => boolean, replacement?: unknown) {
  let places = 0;
  const value: unknown = JSON.parse(payload, (_key, inner) => (isPlace(places++) ? replacement : inner));
  return { places, text: JSON.stringify(value) };
}
