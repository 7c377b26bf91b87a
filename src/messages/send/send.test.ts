import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { MESSAGE_ERRORS } from '../../kernel/message-errors.ts';
import { whyNoNumber } from '../../kernel/why-no-number.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

async function send(body: object) {
  const answer = await gateway.call('POST', '/api/v1/messages/send', { body });
  assert.equal(answer.status, 200, answer.text);
  return { answer, json: answer.json };
}

const TEXT = { type: 'text', text: { body: 'Your parcel is here' } };
const USER_ID = 'GB.13491208655302741918';

describe('a send', () => {
  it('of one text gets the whole answer, and the provider the message', async () => {
    const { answer, json } = await send({ to: '+44 7700 900101', ...TEXT, client_reference: 'order-42' });
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('x-request-id'), json.request_id);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const [{ id, message_id }] = json.results;
    assert.match(id, /^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    assert.match(message_id, /^wamid\./);
    assert.deepEqual(json, {
      request_id: json.request_id,
      account_id: gateway.accountId,
      client_reference: 'order-42',
      type: 'text',
      accepted_count: 1,
      failed_count: 0,
      unknown_count: 0,
      results: [{ to: '+447700900101', status: 'accepted', id, message_id }],
    });
    const [seen, ...more] = await transmitsOf(gateway.sandbox, '+447700900101');
    assert.deepEqual(more, []);
    assert.deepEqual(seen?.body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+447700900101',
      type: 'text',
      text: { body: 'Your parcel is here', preview_url: false },
      biz_opaque_callback_data: id,
    });
    assert.equal(seen?.id, message_id);
  });

  it('has one entry for every recipient in the order of the request, whatever becomes of each', async () => {
    const { json } = await send({
      to: [
        '+15550131026',
        'nonsense',
        { user_id: USER_ID, client_reference: 'by-id' },
        '+447700900102',
        { to: '+44 7700 900102', client_reference: 'again' },
        { user_id: USER_ID },
        '+15552000013',
        { user_id: 'gb.1', client_reference: 'bad-id' },
        '+15552000004',
      ],
      ...TEXT,
    });
    const told = json.results.map((entry: Record<string, unknown>) => ({ ...entry, error: codeOf(entry) }));
    const ids = json.results.map(({ id }: { id?: string }) => id);
    const messageIds = json.results.map(({ message_id }: { message_id?: string }) => message_id);
    assert.deepEqual(told, [
      { to: '+15550131026', status: 'failed', id: ids[0], error: 'recipient_unreachable' },
      { to: 'nonsense', status: 'failed', error: 'invalid_recipient' },
      {
        to: USER_ID,
        status: 'accepted',
        id: ids[2],
        message_id: messageIds[2],
        user_id: USER_ID,
        client_reference: 'by-id',
        error: undefined,
      },
      { to: '+447700900102', status: 'accepted', id: ids[3], message_id: messageIds[3], error: undefined },
      { to: '+447700900102', status: 'failed', client_reference: 'again', error: 'duplicate_recipient' },
      { to: USER_ID, status: 'failed', user_id: USER_ID, error: 'duplicate_recipient' },
      { to: '+15552000013', status: 'accepted', id: ids[6], message_id: messageIds[6], held: true, error: undefined },
      { to: 'gb.1', status: 'failed', client_reference: 'bad-id', error: 'invalid_recipient' },
      { to: '+15552000004', status: 'unknown', id: ids[8], error: 'outcome_unknown' },
    ]);
    assert.deepEqual([json.accepted_count, json.failed_count, json.unknown_count], [3, 5, 1]);
    const known = ids.filter((id: unknown) => id !== undefined);
    assert.equal(new Set(known).size, 5);
    const byId = (await transmitsOf(gateway.sandbox)).filter(({ recipient }) => recipient === USER_ID);
    assert.deepEqual([byId.length, byId[0]?.to], [1, null]);
  });

  it('that fails for every recipient is answered all the same', async () => {
    const { json } = await send({ to: ['x', '+15550131049', 'y'], ...TEXT });
    assert.deepEqual([json.accepted_count, json.failed_count, json.unknown_count], [0, 3, 0]);
  });

  it('of recipients that cannot be read transmits nothing, and can be read back', async () => {
    const before = (await transmitsOf(gateway.sandbox)).length;
    const { json } = await send({ to: '0770, 0771', ...TEXT });
    assert.deepEqual(
      json.results.map(({ to, status }: { to: string; status: string }) => [to, status]),
      [
        ['0770', 'failed'],
        ['0771', 'failed'],
      ],
    );
    assert.equal((await transmitsOf(gateway.sandbox)).length, before);
    const { status, json: read } = await gateway.call('GET', `/api/v1/requests/${json.request_id}`);
    assert.equal(status, 200);
    assert.deepEqual(read.results, json.results);
  });

  it('tells every error by the table', async () => {
    const { json } = await send({ to: ['+15550131049', 'x'], ...TEXT });
    const [{ error }, unreadable] = json.results;
    const { message: _, ...row } = MESSAGE_ERRORS.marketing_limited;
    assert.deepEqual(
      { ...error, message: undefined, provider: undefined, doc_url: undefined },
      {
        code: 'marketing_limited',
        ...row,
        message: undefined,
        provider: undefined,
        doc_url: undefined,
      },
    );
    assert.equal(error.provider.code, 131049);
    assert.equal(typeof error.message, 'string');
    const page = await fetch(error.doc_url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<h1 id="marketing_limited">/);
    assert.deepEqual(unreadable.error, {
      code: 'invalid_recipient',
      ...MESSAGE_ERRORS.invalid_recipient,
      message: `${MESSAGE_ERRORS.invalid_recipient.message}: ${whyNoNumber('x')}`,
      doc_url: unreadable.error.doc_url,
    });
  });

  it('does not speak of phone numbers where a user id cannot be read, nor of their form where it is the sender', async () => {
    const { json } = await send({ to: [{ user_id: 'gb.1' }, '+15550131021'], ...TEXT });
    assert.deepEqual(
      json.results.map(({ error }: { error: { message: string } }) => error.message),
      ['The recipient is not a user id in the form of the provider', 'The recipient is the number that sends'],
    );
  });

  it("shows a recipient's own reference, even one that equals the request's, and no other", async () => {
    const to = [
      { to: '+447700900103', client_reference: 'mine' },
      { to: '+447700900104', client_reference: 'shared' },
      '+447700900105',
    ];
    const { json } = await send({ to, ...TEXT, client_reference: 'shared' });
    const shown = json.results.map((entry: { client_reference?: string }) => entry.client_reference);
    assert.deepEqual(shown, ['mine', 'shared', undefined]);
    const found = await gateway.call('GET', '/api/v1/messages?client_reference=shared');
    assert.equal(found.json.data.length, 2, "the request's reference is the default of its messages");
  });

  it("of a template carries the shared components, or a recipient's own in their place", async () => {
    const body = (text: string) => [
      { type: 'body', parameters: [{ type: 'text', text, novel: JSON.parse('{"__proto__":1}') }] },
    ];
    const to = ['+447700900106', { to: '+447700900107', components: body('Grace') }];
    const template = { name: 'order_update', language: 'en_US', components: body('Ada') };
    const { json } = await send({ to, type: 'template', template });
    assert.equal(json.accepted_count, 2, JSON.stringify(json));
    const sent = async (number: string) => (await transmitsOf(gateway.sandbox, number))[0]?.body.template;
    assert.deepEqual(await sent('+447700900106'), { ...template, language: { code: 'en_US' } });
    assert.deepEqual(await sent('+447700900107'), {
      ...template,
      language: { code: 'en_US' },
      components: body('Grace'),
    });
  });

  it('to 50 people transmits once to each', async () => {
    const to = Array.from({ length: 50 }, (_, place) => `+44770090012${String(place).padStart(2, '0')}`);
    const { json } = await send({ to: to.join('\n'), ...TEXT });
    assert.equal(json.accepted_count, 50);
    assert.deepEqual(
      json.results.map((entry: { to: string }) => entry.to),
      to,
    );
    const seen = (await transmitsOf(gateway.sandbox)).filter((transmit) => to.includes(transmit.to ?? ''));
    assert.deepEqual(seen.map((transmit) => transmit.to).toSorted(), to.toSorted());
  });
});

describe('a validation', () => {
  it('tells entry by entry what a send would find out, and stores and transmits nothing', async () => {
    const count = async () => [
      await gateway.database.query('select count(*) from request'),
      (await transmitsOf(gateway.sandbox)).length,
    ];
    const before = await count();
    const to = ['+447700900108', 'x', '+447700900108', { user_id: USER_ID, client_reference: 'a' }];
    const { status, json } = await gateway.call('POST', '/api/v1/messages/validate', { body: { to, ...TEXT } });
    assert.equal(status, 200);
    assert.deepEqual([json.valid_count, json.invalid_count], [2, 2]);
    const told = json.results.map((entry: Record<string, unknown>) => [entry.to, entry.status, codeOf(entry)]);
    assert.deepEqual(told, [
      ['+447700900108', 'valid', undefined],
      ['x', 'invalid', 'invalid_recipient'],
      ['+447700900108', 'invalid', 'duplicate_recipient'],
      [USER_ID, 'valid', undefined],
    ]);
    assert.deepEqual(await count(), before);
  });
});

function codeOf({ error }: { error?: unknown }): unknown {
  return Object(error).code;
}
