import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { DevFile } from '../../src/demo.ts';
import type { TestAnswer } from '../support/call-api.ts';
import { listMessages, phoneNumbers, type SentEntry, sendText } from '../support/call-gateway.ts';
import { createTestDatabase } from '../support/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/process.ts';
import { type SandboxBeside, startSandboxBeside } from '../support/sandbox-beside.ts';

/**
 * With this latency of the provider these range from before the first commit to after the second: before it, about it (twice), while the
 * provider is thinking, about the second one, and after it.
 */
const KILL_DELAYS_MS = [0, 6, 16, 110, 200, 400];
/**
 * The embedded database is tested for one thing more: it outlives its gateway and is taken over. That does not depend on the moment, so a
 * third of the delays is enough.
 */
const EMBEDDED_KILL_DELAYS_MS = KILL_DELAYS_MS.filter((_, place) => place % 3 === 2);
const LATENCY_MS = 150;
/** How many recipients each request has that is under way at a kill. */
const REQUEST_SIZES = [1, 50, 1, 5, 1, 1];
const SETTLED = ['accepted', 'failed', 'unknown', 'sent', 'delivered', 'read'];

interface Attempt {
  key: string;
  to: string[];
  /** undefined if the connection broke before the answer. */
  answer: TestAnswer | undefined;
}

it('a gateway killed at any point of a send, with the embedded database, loses nothing and sends nothing twice', async (t) => {
  t.diagnostic(await killAgainAndAgain(EMBEDDED_KILL_DELAYS_MS, {}));
});

it('a gateway killed at any point of a send, with DATABASE_URL, loses nothing and sends nothing twice', async (t) => {
  const { url, drop } = await createTestDatabase();
  try {
    t.diagnostic(await killAgainAndAgain(KILL_DELAYS_MS, { DATABASE_URL: url }));
  } finally {
    await drop();
  }
});

async function killAgainAndAgain(delaysMs: readonly number[], env: Record<string, string>): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-kill-'));
  const sandbox = await startSandboxBeside({ latencyMs: LATENCY_MS });
  const start = () => startGatewayProcess(dataDir, { ...sandbox.settings, ...env });
  const counts = { kills: 0, requests: 0, answered: 0, replayed: 0, free: 0 };
  let gateway = await start();
  try {
    for (const [round, delayMs] of delaysMs.entries()) {
      const attempts = await killWhileSending(gateway, round, delayMs);
      gateway = await start();
      counts.kills++;
      counts.requests += attempts.length;
      counts.answered += attempts.filter(({ answer }) => answer !== undefined).length;
      const replayed = await checkAfterKill(gateway.dev, sandbox, attempts);
      counts.replayed += replayed;
      counts.free += attempts.length - replayed;
    }
    return `${JSON.stringify(counts)}, ${(await sandbox.transmits()).length} transmits`;
  } finally {
    await gateway.stop();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function killWhileSending(gateway: GatewayProcess, round: number, delayMs: number): Promise<Attempt[]> {
  const attempts = REQUEST_SIZES.map(async (size, place): Promise<Attempt> => {
    const key = `round-${round}-${place}`;
    const to = phoneNumbers(round * REQUEST_SIZES.length + place, size);
    const answer = await sendText(gateway.dev, to, { key }).catch(() => undefined);
    return { key, to, answer };
  });
  await wait(delayMs);
  await gateway.kill();
  return Promise.all(attempts);
}

/** Returns how many of the requests the store knows. */
async function checkAfterKill(dev: DevFile, sandbox: SandboxBeside, attempts: Attempt[]): Promise<number> {
  for (const status of ['pending', 'transmitting'])
    assert.deepEqual(await listMessages(dev, `status=${status}`), [], 'nothing is left under way after a restart');
  await checkTransmits(dev, sandbox);
  const checked = await Promise.all(attempts.map((attempt) => checkAttempt(dev, attempt)));
  const transmitted = await transmittedOnce(sandbox);
  for (const { accepted } of checked)
    for (const id of accepted) assert.ok(transmitted.has(id), `${id} was told accepted, so it was transmitted`);
  return checked.filter(({ isKnown }) => isKnown).length;
}

/** Asserts that nothing was transmitted twice, and returns the ids of what was transmitted so far. */
async function transmittedOnce(sandbox: SandboxBeside): Promise<Set<string>> {
  const transmits = await sandbox.transmits();
  const distinct = new Set(transmits.map(({ biz_opaque_callback_data: id }) => id));
  assert.equal(distinct.size, transmits.length, 'no message is transmitted twice');
  // A key that has become free would make another message of it.
  assert.equal(new Set(transmits.map(({ to }) => to)).size, transmits.length, 'and nobody gets two');
  return distinct;
}

/** No message was transmitted twice, and the store knows every one. */
async function checkTransmits(dev: DevFile, sandbox: SandboxBeside): Promise<void> {
  const ids = await transmittedOnce(sandbox);
  const stored = new Map((await listMessages(dev, 'direction=outbound')).map(({ id, status }) => [id, status]));
  for (const id of ids) assert.ok(stored.has(id), `${id} was transmitted, so it is stored`);
  for (const [id, status] of stored) assert.ok(SETTLED.includes(status), `${id} is settled, not ${status}`);
}

/** Returns whether the store knows the request, and the messages for which the answer says `accepted`. */
async function checkAttempt(dev: DevFile, { key, to, answer }: Attempt) {
  const again = await sendText(dev, to, { key });
  assert.equal(again.status, 200, again.text);
  const isKnown = again.headers.get('idempotent-replayed') === 'true';
  const oncemore = await sendText(dev, to, { key });
  assert.equal(oncemore.headers.get('idempotent-replayed'), 'true');
  assert.equal(oncemore.text, again.text, 'the same key gives the same bytes');
  if (answer !== undefined) {
    assert.ok(isKnown, 'what was answered is known');
    assert.equal(again.text, answer.text, 'and replays as it was answered');
  }
  const told: SentEntry[] = again.json.results;
  assert.equal(told.length, to.length);
  const stored = new Map(
    (await listMessages(dev, `request_id=${again.json.request_id}`)).map((message) => [message.id, message.status]),
  );
  const accepted: string[] = [];
  for (const { id = '', status: toldStatus } of told) {
    const status = stored.get(id);
    assert.ok(status !== undefined && SETTLED.includes(status), `${id} is settled, not ${status}`);
    if (toldStatus !== 'accepted') continue;
    assert.ok(['accepted', 'sent', 'delivered', 'read'].includes(status), `${id} was told accepted, not ${status}`);
    accepted.push(id);
  }
  return { isKnown, accepted };
}
