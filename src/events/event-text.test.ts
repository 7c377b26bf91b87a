import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
import { eventText } from './event-text.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase({ migrated: false });
});
after(() => test.drop());

/** The data as the database gives it back. */
async function stored(data: unknown): Promise<string> {
  const [row] = await test.database.query<{ data: string }>('select $1::jsonb::text as data', [JSON.stringify(data)]);
  return row?.data ?? '';
}

const at = new Date('2026-11-21T01:02:03.004Z');
const told = async (data: unknown) => {
  const row = {
    id: newId(),
    account_id: newId(),
    sequence: 7,
    type: 'message.failed',
    at_ms: at.getTime(),
    data: await stored(data),
  };
  const text = eventText(row, 'https://docs.example');
  return { row, text, event: JSON.parse(text) };
};

describe("an event's text", () => {
  it('is JSON with all members of the event, and its data as they were recorded', async () => {
    // What a jsonb cannot hold, or holds in another form, never gets into one.
    const values = fc.jsonValue().filter((value) => !/\\u0000|\\ud[89a-f]|e[-+]?\d/i.test(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(values, fc.string({ unit: 'grapheme' }), async (value, text) => {
        // As JSON has it, which knows no -0.
        const data = JSON.parse(JSON.stringify({ message: { text: text.replaceAll('\0', ''), value } }));
        const { row, event } = await told(data);
        const { id, ...members } = event;
        const { account_id, sequence, type } = row;
        assert.match(id, /^evt_/);
        assert.deepEqual(members, { account_id, sequence, type, timestamp: at.toISOString(), data });
      }),
      { numRuns: 200 },
    );
  });

  it('tells an error of the message in the words of the table, and leaves what only looks like one', async () => {
    const error = { code: 'recipient_unreachable' };
    const { event } = await told({ message: { error, status: 'failed' } });
    assert.deepEqual([event.data.message.status, event.data.message.error.fault], ['failed', 'recipient']);
    const later = await told({ message: { error: { code: 'of_a_later_version' } } });
    assert.equal(later.event.data.message.error.fault, 'provider');
    for (const other of [
      { message: { error: { code: 7 } } },
      { message: { text: '"error": {' } },
      { endpoint: { error: {} } },
      { message: null, error: {} },
    ])
      assert.deepEqual((await told(other)).event.data, other);
  });

  it('is the same each time', async () => {
    const { row, text } = await told({ message: { error: { code: 'outcome_unknown' }, b: 1, a: [2.5, 'ü'] } });
    assert.equal(eventText(row, 'https://docs.example'), text);
  });
});
