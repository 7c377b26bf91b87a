import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { startTestGateway, type TestAnswer, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { transmitsOf } from '../support/transmits.ts';

const RUNS = 300;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

/** Values that are nearly what a send holds, so that faults of every kind meet good parts. */
const number = fc.oneof(
  fc.integer({ min: 0, max: 999 }).map((digits) => `+447700900${String(digits).padStart(3, '0')}`),
  fc.constantFrom('0770', '', '+15550131026', '+15552000004', ' +44 (0) 7700 900123', '+44 7700 900 123', '\u0000'),
  fc.string({ maxLength: 20 }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('Hello', '', '\ud800', '__proto__'),
);
const recipient = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { to: number, user_id: fc.constantFrom('GB.1', 'gb.1', 'US.ENT.x'), client_reference: text, extra: fc.nat() },
      { requiredKeys: [] },
    ),
  },
);
const component = fc.record(
  { type: fc.constantFrom('body', 'button', 'header', 'novel', 5), parameters: fc.jsonValue({ maxDepth: 3 }) },
  { requiredKeys: [] },
);
const send = fc.record(
  {
    to: fc.oneof(
      fc.array(recipient, { maxLength: 52 }),
      number,
      fc.array(number).map((list) => list.join(',')),
    ),
    type: fc.constantFrom('text', 'text', 'template', 'image'),
    text: fc.oneof(fc.record({ body: text, preview_url: fc.boolean() }, { requiredKeys: ['body'] }), fc.jsonValue()),
    template: fc.record(
      { name: text, language: fc.constantFrom('en_US', { code: 'de' }, 5), components: fc.array(component) },
      { requiredKeys: [] },
    ),
    client_reference: text,
    from: fc.constantFrom('chn_x', null),
  },
  { requiredKeys: ['to', 'type'] },
);
/** Good more often than not: only the recipients are of every kind. */
const readable = fc.record({
  to: fc.array(fc.oneof(number, fc.record({ to: number })), { minLength: 1, maxLength: 50 }),
  type: fc.constant('text'),
  text: fc.constant({ body: 'Hello' }),
});
const body = fc.oneof(
  send.map((value) => JSON.stringify(value)),
  readable.map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 6 }),
  fc.string({ unit: 'binary' }),
  // Good JSON with one character changed.
  fc.tuple(readable, fc.nat(), fc.string({ unit: 'binary', maxLength: 2 })).map(([value, place, other]) => {
    const json = JSON.stringify(value);
    const at = place % json.length;
    return json.slice(0, at) + other + json.slice(at + 1);
  }),
);

describe('whatever the body of a send is', () => {
  it('the answer is an error that stored and sent nothing, or has an entry for every recipient', async () => {
    let [requests, transmits, answered] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(body, async (given) => {
        const answer = await gateway.call('POST', '/api/v1/messages/send', { body: given });
        if (answer.status === 200) {
          answered += 1;
          requests += 1;
          transmits += assertAggregate(answer, given);
        } else {
          assert.ok(answer.status < 500, answer.text);
          assertProblem(answer, answer.json.code);
        }
        assert.equal(await countRequests(), requests);
        assert.equal((await transmitsOf(gateway.sandbox)).length, transmits);
      }),
      { numRuns: RUNS },
    );
    assert.ok(answered > RUNS / 20, `only ${answered} of ${RUNS} bodies were sends`);
    const [stored] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from message');
    assert.ok((stored?.count ?? 0) >= transmits);
  });
});

/** Returns how many transmits the answer stands for. */
function assertAggregate({ json }: TestAnswer, given: string): number {
  const { to } = JSON.parse(given);
  const count = Array.isArray(to) ? to.length : to.split(/[,;\r\n]/).filter((piece: string) => piece.trim()).length;
  const entries: { status: string; id?: string; message_id?: string; error?: { code: string } }[] = json.results;
  assert.equal(entries.length, count);
  assert.equal(json.accepted_count + json.failed_count + json.unknown_count, count);
  for (const entry of entries) {
    assert.ok(['accepted', 'failed', 'unknown'].includes(entry.status));
    assert.equal(entry.error === undefined, entry.status === 'accepted');
    assert.equal(entry.message_id !== undefined, entry.status === 'accepted');
    const isMessage =
      !['invalid_recipient', 'duplicate_recipient'].includes(entry.error?.code ?? '') || hasProvider(entry);
    assert.equal(entry.id !== undefined, isMessage, JSON.stringify(entry));
  }
  return entries.filter(({ id }) => id !== undefined).length;
}

function hasProvider({ error }: { error?: object }): boolean {
  return error !== undefined && 'provider' in error;
}

async function countRequests(): Promise<number> {
  const [row] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from request');
  return row?.count ?? 0;
}
