import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { meetLock } from '../../../test/support/meet-lock.ts';
import { intendedMessage } from '../../../test/support/new-request.ts';
import { assertProblem } from '../../../test/support/problem.ts';
import { addNodeElsewhere, requestTemplate } from '../../../test/support/request-template.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { eraseRound } from '../../erasure/erase-round.ts';
import { formatId, newId } from '../../kernel/ids.ts';
import type { IntendedMessage, Outcome } from '../message.ts';
import { applyReports } from '../report/apply-reports.ts';
import { unpackMessages } from '../report/apply-store.ts';
import type { NewRequest } from './begin-store.ts';
import { commitSends } from './commit-store.ts';
import { recoverRequests } from './recover.ts';
import { takeTurns } from './turn-store.ts';
import { withdrawRequest } from './withdraw-store.ts';

const log = pino({ level: 'silent' });

let gateway: TestGateway;
let template: NewRequest;
before(async () => {
  gateway = await startTestGateway();
  template = await requestTemplate(gateway);
});
after(() => gateway.stop());

const intend = (phone: string, status: IntendedMessage['status'] = 'transmitting') =>
  intendedMessage({ phone, status, error: status === 'failed' ? { code: 'sender_suspended' } : null });

/** As only a fault of ours could leave it. */
const breakIntent = (requestIds: string[]) =>
  gateway.database.query(`update request set intent = '{"no": "array"}' where id = any($1)`, [requestIds]);

function listen() {
  const lines: string[] = [];
  return { lines, told: pino({ level: 'fatal' }, { write: (line) => void lines.push(line) }) };
}

describe('the recovery of a node that is gone', () => {
  it('settles what it left, answers its keys, transmits nothing and is over after once', async () => {
    const body = JSON.stringify({ to: ['+447700900701', 'x', '+447700900702'], type: 'text', text: { body: 'Hello' } });
    const bodySha256 = createHash('sha256').update(body).digest();
    const request: NewRequest = {
      ...template,
      id: newId(),
      refused: [{ place: 1, to: 'x', error: { code: 'invalid_recipient' } }],
      intended: [intend('+447700900701'), intend('+447700900702', 'failed')],
      idempotency: { key: 'left', bodySha256 },
    };
    await commitSends(gateway.database, { begun: [request], settled: [], completed: [] }, 'new');
    const call = { body, headers: { 'idempotency-key': 'left' } };
    assertProblem(await gateway.call('POST', '/api/v1/messages/send', call), 'idempotency_in_flight');

    assert.equal(await recoverRequests(gateway.database, newId(), gateway.url, log), 0, 'another node left nothing');
    assert.equal(await recoverRequests(gateway.database, request.nodeId, `${gateway.url}/docs/errors`, log), 1);
    assert.equal(await recoverRequests(gateway.database, request.nodeId, `${gateway.url}/docs/errors`, log), 0);

    const replay = await gateway.call('POST', '/api/v1/messages/send', call);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(
      replay.json.results.map((entry: { to: string; status: string; error: { code: string } }) => [
        entry.to,
        entry.status,
        entry.error.code,
      ]),
      [
        ['+447700900701', 'unknown', 'outcome_unknown'],
        ['x', 'failed', 'invalid_recipient'],
        ['+447700900702', 'failed', 'sender_suspended'],
      ],
    );
    assert.equal(replay.json.request_id, formatId('req', request.id));
    const read = (await gateway.call('GET', `/api/v1/requests/${replay.json.request_id}`)).json;
    assert.deepEqual(read.results, replay.json.results);
    assert.notEqual(read.completed_at, null);
    assert.deepEqual(await transmitsOf(gateway.sandbox), []);
  });

  it('leaves the outcomes as they are that the node has stored while others were under way', async () => {
    const request: NewRequest = {
      ...template,
      id: newId(),
      intended: [intend('+447700900711'), intend('+447700900712')],
    };
    const { accountId, id: requestId, channelId, mode, intended } = request;
    const [message] = intended;
    assert.ok(message);
    const outcome: Outcome = {
      ...{ status: 'accepted', providerMessageId: 'wamid.meanwhile', userId: null, held: false, error: null },
      at: new Date(),
    };
    const settled = [{ accountId, requestId, channelId, mode, type: 'text' as const, message, outcome }];
    await commitSends(gateway.database, { begun: [request], settled: [], completed: [] }, 'new');
    await commitSends(gateway.database, { begun: [], settled, completed: [] }, 'new');
    // One of a node that lives was reported, and its send goes on.
    const elsewhere = intend('+447700900713');
    const other: NewRequest = { ...template, id: newId(), nodeId: newId(), intended: [elsewhere] };
    await commitSends(gateway.database, { begun: [other], settled: [], completed: [] }, 'new');
    await unpackMessages(gateway.database, [{ accountId, channelId, messageId: elsewhere.id }]);
    await gateway.database.query("update message set status = 'delivered' where id = $1", [elsewhere.id]);
    assert.equal(await recoverRequests(gateway.database, request.nodeId, gateway.url, log), 1);
    const [going] = await gateway.database.query('select outcome from message where id = $1', [elsewhere.id]);
    assert.deepEqual(going, { outcome: null });
    assert.equal(await recoverRequests(gateway.database, other.nodeId, gateway.url, log), 1);
    const rows = await gateway.database.query(
      'select status, outcome, outcome_error from message where request_id = $1 order by id = $2',
      [requestId, message.id],
    );
    assert.deepEqual(rows, [
      { status: 'unknown', outcome: 'unknown', outcome_error: { code: 'outcome_unknown' } },
      { status: 'accepted', outcome: 'accepted', outcome_error: null },
    ]);
  });

  it('settles a long backlog, and several nodes may do it at once', async () => {
    const requests = Array.from({ length: 230 }, (_, place) => ({
      ...template,
      id: newId(),
      intended: [intend(`+44770091${String(place).padStart(4, '0')}`)],
    }));
    const nodeId = await addNodeElsewhere(gateway.database);
    const begun = requests.map((request) => ({ ...request, nodeId }));
    await commitSends(gateway.database, { begun, settled: [], completed: [] }, 'new');
    const settled = await Promise.all([1, 2, 3].map(() => recoverRequests(gateway.database, nodeId, gateway.url, log)));
    assert.equal(
      settled.reduce((sum, count) => sum + count),
      230,
    );
    const [left] = await gateway.database.query(
      'select count(*)::integer as count from request where completed_at is null',
    );
    assert.deepEqual(left, { count: 0 });
  });

  it('goes on with the others where one cannot be settled, and tells of that one each time', async () => {
    const nodeId = await addNodeElsewhere(gateway.database);
    const begun = Array.from({ length: 3 }, (_, place) => ({
      ...{ ...template, id: newId(), nodeId },
      intended: [intend(`+4477009008${place}0`)],
    }));
    await commitSends(gateway.database, { begun, settled: [], completed: [] }, 'new');
    const broken = begun[0]?.id ?? '';
    await breakIntent([broken]);
    const { lines, told } = listen();
    assert.equal(await recoverRequests(gateway.database, nodeId, gateway.url, told), 2);
    assert.equal(await recoverRequests(gateway.database, nodeId, gateway.url, told), 0);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ msg, request_id }) => [msg, request_id]),
      [1, 2].map(() => ['request.not_recovered', formatId('req', broken)]),
    );
    await gateway.database.query(`delete from request where id = $1`, [broken]);
  });

  it('settles what stands behind a hundred that cannot be settled, and tells of each of these once', async () => {
    const nodeId = await addNodeElsewhere(gateway.database);
    const begun = Array.from({ length: 130 }, (_, place) => ({
      ...{ ...template, id: newId(), nodeId },
      intended: [intend(`+4477009009${String(place).padStart(3, '0')}`)],
    }));
    await commitSends(gateway.database, { begun, settled: [], completed: [] }, 'new');
    const broken = begun.slice(0, 120).map(({ id }) => id);
    await breakIntent(broken);
    const { lines, told } = listen();
    assert.equal(await recoverRequests(gateway.database, nodeId, gateway.url, told), 10);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).request_id).sort(),
      broken.map((id) => formatId('req', id)).sort(),
    );
    await gateway.database.query(`delete from request where id = any($1)`, [broken]);
  });

  it('waits for what becomes of a message in that moment: its turn is taken, or a report of it is applied', async () => {
    const { database } = gateway;
    const nodeId = await addNodeElsewhere(database);
    const intended = [intend('+447700900731', 'pending'), intend('+447700900732', 'pending')];
    const request = { ...template, id: newId(), nodeId, intended };
    const { accountId, channelId } = request;
    const [taken = '', reported = ''] = intended.map(({ id }) => id);
    await commitSends(database, { begun: [request], settled: [], completed: [] }, 'new');
    await takeTurns(database, [{ accountId, messageId: reported }]);
    const report = {
      ...{ accountId, channelId, formerChannelIds: [], providerMessageId: `wamid.${reported}`, messageId: reported },
      ...{ status: 'delivered', at: new Date(), receivedAt: new Date(), error: null, pricing: null, userId: null },
    };
    const recovered = await meetLock(database, {
      hold: async (tx) => {
        await takeTurns(tx, [{ accountId, messageId: taken }]);
        await applyReports(tx, [report]);
      },
      work: () => recoverRequests(database, nodeId, gateway.url, log),
    });
    assert.equal(recovered, 1);
    const historyOf = async (id: string) => {
      const { json } = await gateway.call('GET', `/api/v1/messages/${formatId('msg', id)}`);
      return [json.status, ...json.timeline.map((line: { status: string }) => line.status)];
    };
    assert.deepEqual(await historyOf(taken), ['unknown', 'unknown'], 'it is not under way for ever');
    assert.deepEqual(await historyOf(reported), ['delivered', 'unknown', 'delivered']);
  });

  it('goes on with the others while somebody keeps a row of one locked, and settles that one afterwards', async () => {
    const { database } = gateway;
    const nodeId = await addNodeElsewhere(database);
    const begun = ['+447700900741', '+447700900742'].map((phone) => {
      return { ...template, id: newId(), nodeId, intended: [intend(phone, 'pending')] };
    });
    await commitSends(database, { begun, settled: [], completed: [] }, 'new');
    await database.transaction(async (terminal) => {
      await takeTurns(terminal, [{ accountId: template.accountId, messageId: begun[0]?.intended[0]?.id ?? '' }]);
      assert.equal(await recoverRequests(database, nodeId, gateway.url, log), 1);
    });
    assert.equal(await recoverRequests(database, nodeId, gateway.url, log), 1);
  });

  it('settles several side by side, so that what one waits for holds the others up less', async () => {
    const nodeId = newId();
    const requests = ['1', '2', '3'].map((last) => ({
      ...{ ...template, id: newId(), nodeId },
      intended: [intend(`+44770090076${last}`, 'pending')],
    }));
    await commitSends(gateway.database, { begun: requests, settled: [], completed: [] }, 'new');
    const ids = requests.flatMap(({ intended }) => intended.map(({ id }) => id));
    const settled = await meetLock(gateway.database, {
      hold: (tx) => tx.query('select 1 from message where id = any($1) for update', [ids]),
      work: () => recoverRequests(gateway.database, nodeId, gateway.url, log),
      waiting: requests.length,
    });
    assert.equal(settled, requests.length);
  });

  it('lets a deleted account be erased of which a request cannot be settled', async () => {
    const accountId = await gateway.createAccount('Leaving');
    const request = {
      ...template,
      accountId,
      id: newId(),
      nodeId: await addNodeElsewhere(gateway.database),
      intended: [intend('+447700900721')],
    };
    await commitSends(gateway.database, { begun: [request], settled: [], completed: [] }, 'new');
    await breakIntent([request.id]);
    const recover = () => recoverRequests(gateway.database, request.nodeId, gateway.url, log);
    const running = () =>
      gateway.database.query('select 1 from request where id = $1 and completed_at is null', [request.id]);
    await recover();
    assert.equal((await running()).length, 1, 'while there is the account, its messages are not given up');

    const path = `/platform/v1/accounts/${accountId}`;
    assert.equal((await gateway.call('DELETE', path, { key: gateway.platformKey })).status, 202);
    await recover();
    await eraseRound(gateway.database, 0);
    assert.deepEqual(await gateway.database.query('select 1 from account where id = $1', [accountId]), []);
  });
});

it('a request that is taken back leaves neither its key nor a message that waited for its turn', async () => {
  const request: NewRequest = {
    ...template,
    id: newId(),
    intended: [intend('+447700900711', 'pending'), intend('+447700900712', 'pending'), intend('+447700900713')],
    idempotency: { key: 'taken back', bodySha256: createHash('sha256').update('x').digest() },
  };
  const left = () =>
    gateway.database.query(
      `select id from message where request_id = $1 union all select id from request where id = $1
       union all select request_id from idempotency where request_id = $1`,
      [request.id],
    );
  await commitSends(gateway.database, { begun: [request], settled: [], completed: [] }, 'new');
  assert.equal((await left()).length, 4);
  await withdrawRequest(gateway.database, request);
  assert.deepEqual(await left(), []);
});
