import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';

let gateway: TestGateway;
before(async () => {
  // The number that never answers does so after 60 s: half of that here, and still longer than the provider may take.
  gateway = await startTestGateway({ settings: { WAYPOST_PROVIDER_TIMEOUT_MS: '8000' }, sandbox: { timeScale: 2 } });
});
after(() => gateway.stop());

async function entriesOf(numbers: readonly string[]) {
  const body = { to: numbers, type: 'text', text: { body: 'Hello' } };
  const { status, json, text } = await gateway.call('POST', '/api/v1/messages/send', { body });
  assert.equal(status, 200, text);
  return json.results;
}

/** The provider's codes by the code of ours that they become: most of those in docs/errors, and two that nobody knows. */
const REFUSALS: Record<string, number[]> = {
  invalid_recipient: [131021],
  message_invalid: [100, 131008, 131009, 131051, 131053, 135000],
  window_closed: [131047],
  template_not_found: [132001],
  template_parameters_invalid: [132000, 132008, 132012, 132018],
  template_text_too_long: [132005],
  template_policy_violation: [132007],
  template_paused: [132015, 132069],
  template_disabled: [132016, 132068],
  recipient_unreachable: [131026],
  recipient_opted_out: [131050],
  recipient_blocked: [130403],
  recipient_not_allowed: [131030],
  recipient_identity_unsupported: [131062],
  experiment_holdout: [130472],
  marketing_limited: [131049],
  marketing_disabled: [131063],
  sender_spam_limited: [131048],
  sender_category_limited: [131064],
  sender_unauthorized: [3, 10, 104, 200, 299, 131005],
  sender_suspended: [368, 131031, 131037],
  sender_unregistered: [33, 131045, 133010],
  sender_billing: [131042],
  country_restricted: [130497],
  provider_error: [1, 131000],
  provider_rejected: [999999, 500],
};
/** These are tried again for a while before they are told. */
const RETRIED: Record<string, number[]> = {
  pair_rate_limited: [131056],
  throughput_limited: [130429, 4, 17, 32, 613, 80007, 80008],
  provider_unavailable: [2, 131016, 131057, 133004],
};

const refusing = (code: number) => `+15550${String(code).padStart(6, '0')}`;

describe('the numbers of the sandbox', () => {
  it('that refuse give an entry of the error table, after one transmit', async () => {
    const cases = Object.entries(REFUSALS).flatMap(([code, given]) =>
      given.map((one) => ({ code, number: refusing(one) })),
    );
    const entries = (
      await Promise.all(
        [cases.slice(0, 30), cases.slice(30)].map((part) => entriesOf(part.map(({ number }) => number))),
      )
    ).flat();
    for (const [place, { code, number }] of cases.entries()) {
      const { status, error, message_id } = entries[place];
      assert.deepEqual([status, error?.code, message_id], ['failed', code, undefined], number);
      assert.equal(error.provider.code, Number(number.slice(6)));
      assert.equal((await transmitsOf(gateway.sandbox, number)).length, 1);
    }
  });

  it('that refuse for a while are tried three times in all', async () => {
    const cases = Object.entries(RETRIED).flatMap(([code, given]) =>
      given.map((one) => ({ code, number: refusing(one) })),
    );
    const entries = await entriesOf(cases.map(({ number }) => number));
    for (const [place, { code, number }] of cases.entries()) {
      const { status, error } = entries[place];
      assert.deepEqual([status, error?.code, error?.retryable], ['failed', code, true], number);
      const seen = await transmitsOf(gateway.sandbox, number);
      assert.equal(seen.length, 3, number);
      assert.equal(new Set(seen.map((transmit) => transmit.biz_opaque_callback_data)).size, 1);
    }
  });

  it('that are refused twice are accepted at the third try', async () => {
    const [entry] = await entriesOf(['+15552000005']);
    assert.equal(entry.status, 'accepted');
    const seen = await transmitsOf(gateway.sandbox, '+15552000005');
    assert.deepEqual(
      seen.map(({ taken }) => taken),
      [false, false, true],
    );
  });

  it('that leave the outcome open are unknown and never tried again', async () => {
    const numbers = ['+15552000001', '+15552000003', '+15552000004'];
    const entries = await entriesOf(numbers);
    for (const [place, number] of numbers.entries()) {
      const { status, error, message_id } = entries[place];
      assert.deepEqual([status, error?.code, message_id], ['unknown', 'outcome_unknown', undefined], number);
      assert.deepEqual([error.fault, error.retryable], ['provider', false]);
      assert.equal((await transmitsOf(gateway.sandbox, number)).length, 1, number);
    }
  });

  it('that accept are accepted, and held where the provider holds them', async () => {
    const held = '+15552000013';
    const numbers = ['+447700900401', '+15551131026', ...[6, 7, 8, 10, 11, 12, 14].map(numbered), held];
    for (const entry of await entriesOf(numbers)) {
      assert.deepEqual([entry.status, entry.error], ['accepted', undefined], entry.to);
      assert.equal(entry.held, entry.to === held ? true : undefined);
    }
  });

  it('that refuse the access suspend the channel: then everything fails without a transmit', async () => {
    const accountId = await gateway.createAccount('Refused');
    const key = await gateway.createKey({ accountId });
    const send = async (to: string) => {
      const body = { to, type: 'text', text: { body: 'Hello' } };
      const { json } = await gateway.call('POST', '/api/v1/messages/send', { key, body });
      return json.results[0];
    };
    assert.equal((await send('+15550000190')).error.code, 'sender_unauthorized');
    const { json } = await gateway.call('GET', '/api/v1/channels', { key });
    assert.equal(json.data[0].status, 'suspended');
    const { id, status, error } = await send('+447700900402');
    assert.deepEqual([status, error.code], ['failed', 'sender_suspended']);
    assert.deepEqual(await transmitsOf(gateway.sandbox, '+447700900402'), []);
    const read = await gateway.call('GET', `/api/v1/messages/${id}`, { key });
    assert.deepEqual([read.json.status, read.json.error.code], ['failed', 'sender_suspended']);
  });
});

function numbered(place: number): string {
  return `+155520000${String(place).padStart(2, '0')}`;
}
