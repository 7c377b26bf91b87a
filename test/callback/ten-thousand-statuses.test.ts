import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formatId } from '../../src/kernel/ids.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
  type TestLine,
} from '../support/notifications.ts';
import { until } from '../support/until.ts';

const STATUSES = 10_000;
/** What the provider may report about one message, in the order in which it happened, and the status that must come of it. */
const COURSES: { course: string[]; ends: string }[] = [
  { course: ['sent', 'delivered', 'read'], ends: 'read' },
  { course: ['sent', 'delivered', 'read', 'played'], ends: 'read' },
  { course: ['sent', 'delivered'], ends: 'delivered' },
  { course: ['sent', 'failed'], ends: 'failed' },
  { course: ['sent', 'failed', 'delivered'], ends: 'delivered' },
  { course: ['failed'], ends: 'failed' },
  { course: ['delivered', 'read'], ends: 'read' },
  { course: ['sent'], ends: 'sent' },
];
const A_REQUEST = 50;
const STATUSES_A_BODY_MAX = 200;
const CALLERS = 32;
/** One of so many messages is also read by itself. */
const ONE_OF = 25;

interface Planned {
  id: string;
  course: string[];
  ends: string;
  /** How often each status of the course is posted. */
  copies: number[];
}

describe('10,000 statuses, shuffled, each posted one to three times, many a body and one a body', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  it('end each message where the ordered single sequence ends, with its whole history', async (test) => {
    const seed = Date.now();
    const random = randomFrom(seed);
    test.diagnostic(`seed ${seed}`);
    const planned: Planned[] = [];
    const statuses: object[] = [];
    for (let distinct = 0; distinct < STATUSES; ) {
      for (const { id, message_id: providerId } of await sendMany(gateway)) {
        const { course, ends } = pick(COURSES, random);
        const copies = course.map(() => 1 + Math.floor(random() * 3));
        planned.push({ id, course, ends, copies });
        distinct += course.length;
        course.forEach((status, place) => {
          // Not every notification has the opaque member.
          const messageId = random() < 0.5 ? id : undefined;
          for (let copy = 0; copy < (copies[place] ?? 0); copy++)
            statuses.push(statusOf(status, { providerId, messageId }));
        });
      }
    }
    const startMs = performance.now();
    await postAll(gateway, bodiesOf(line, shuffled(statuses, random), random));
    await until(() => isProcessed(gateway), 60_000);
    test.diagnostic(`${statuses.length} posted statuses in ${Math.round(performance.now() - startMs)} ms`);

    const [statusOfMessage, histories] = [await readStatuses(gateway), await readHistories(gateway)];
    for (const [place, { id, course, ends, copies }] of planned.entries()) {
      assert.equal(statusOfMessage.get(id), ends, `${course} of ${id}, seed ${seed}`);
      const told = Object.fromEntries(course.map((status, step) => [status, { copies: copies[step], firsts: 1 }]));
      assert.deepEqual(histories.get(id), told, `history of ${id}, seed ${seed}`);
      if (place % ONE_OF === 0)
        assert.deepEqual(await shownHistory(gateway, id), told, `as shown, of ${id}, seed ${seed}`);
    }
    const [left] = await gateway.database.query(`select id from notification where state <> 'applied'`);
    assert.equal(left, undefined);
  });
});

async function sendMany(gateway: TestGateway): Promise<{ id: string; message_id: string }[]> {
  const to = Array.from({ length: A_REQUEST }, (_, place) => `+4477009${String(place).padStart(5, '0')}`);
  const body = { to, type: 'text', text: { body: 'Your parcel is here' } };
  return (await gateway.call('POST', '/api/v1/messages/send', { body })).json.results;
}

/** A tenth of the statuses have a body each; the others share bodies. */
function bodiesOf(line: TestLine, statuses: object[], random: () => number): object[] {
  const tenth = Math.floor(statuses.length / 10);
  const single = statuses.slice(0, tenth).map((status) => messagesBody(line, { statuses: [status] }));
  const packed: object[] = [];
  for (let from = tenth; from < statuses.length; ) {
    const to = from + 1 + Math.floor(random() * STATUSES_A_BODY_MAX);
    packed.push(messagesBody(line, { statuses: statuses.slice(from, to) }));
    from = to;
  }
  return shuffled([...single, ...packed], random);
}

async function postAll(gateway: TestGateway, bodies: object[]): Promise<void> {
  const waiting = bodies.values();
  const caller = async () => {
    for (const body of waiting) assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Reads all messages from the list, a hundred at a time. */
async function readStatuses(gateway: TestGateway): Promise<Map<string, string>> {
  const statuses = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `limit=100&direction=outbound${cursor && `&cursor=${cursor}`}`;
    const { json } = await gateway.call('GET', `/api/v1/messages?${query}`);
    for (const { id, status } of json.data) statuses.set(id, status);
    cursor = json.next_cursor;
  }
  return statuses;
}

/** How often each status was reported, and how often it was news. */
type History = Record<string, { copies: number; firsts: number }>;

async function readHistories({ database }: TestGateway): Promise<Map<string, History>> {
  const rows = await database.query<{ id: string; status: string; copies: number; firsts: number }>(
    `select message_id as id, status, count(*) as copies, count(*) filter (where note is distinct from 'duplicate') as firsts
     from timeline group by 1, 2`,
  );
  return new Map(
    [...Map.groupBy(rows, ({ id }) => formatId('msg', id))].map(([id, group]) => [
      id,
      Object.fromEntries(group.map(({ status, copies, firsts }) => [status, { copies, firsts }])),
    ]),
  );
}

/** The same history as a reader of the message sees it. Its first line says that the provider took the message. */
async function shownHistory(gateway: TestGateway, id: string): Promise<History> {
  const { json: message } = await gateway.call('GET', `/api/v1/messages/${id}`);
  const lines: { status: string; note: string | null }[] = message.timeline.slice(1);
  return Object.fromEntries(
    [...Map.groupBy(lines, ({ status }) => status)].map(([status, group]) => [
      status,
      { copies: group.length, firsts: group.filter(({ note }) => note !== 'duplicate').length },
    ]),
  );
}

/** A small random generator with a seed, so that a failure can be repeated (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<Value>(values: readonly Value[], random: () => number): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('There is nothing to pick');
  return value;
}

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
