import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
import { undisturbed } from '../support/undisturbed.ts';
import { until } from '../support/until.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

/** How many messages to one person the provider takes at once. */
const PAIR_BURST = 45;
const CONNECTIONS = 2;
/** Long enough for the first repetition, after a second, but not for the next one, four seconds later. */
const DEADLINE_MS = 4_000;
const TRIES = 2;

let world: LiveWorld;
before(async () => {
  const settings = {
    WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS),
    WAYPOST_PROVIDER_CONNECTIONS: String(CONNECTIONS),
  };
  world = await startLiveWorld(settings);
});
after(() => world.stop());

let numbers = 700;
const phone = () => `+447700900${++numbers}`;
/** The codes of so many sends to one person that are made at the same moment. */
const codesOf = async (from: string, person: string, count: number) => {
  const answers = await Promise.all(Array.from({ length: count }, () => world.sendText(from, [person])));
  return answers.map(({ json }) => json.results[0].error?.code);
};

it('Sends that are answered 503 do not count against the person to whom nothing was transmitted', async () => {
  const from = await world.connect();
  const person = phone();
  const refused = await restingTransaction(world.gateway.database, async (tx) => {
    await tx.query('lock table request in access exclusive mode');
    return Promise.all(Array.from({ length: PAIR_BURST }, () => world.sendText(from, [person])));
  });
  for (const answer of refused) assertProblem(answer, 'unavailable');
  assert.deepEqual(world.provider.taken, []);
  const { json } = await world.sendText(from, [person]);
  assert.equal(json.accepted_count, 1, JSON.stringify(json));
});

it('messages for which no connection becomes free do not count against their person', () =>
  undisturbed(async () => {
    const from = await world.connect();
    const person = phone();
    const release = world.provider.hold();
    world.provider.taken.length = 0;
    const others = Array.from({ length: CONNECTIONS }, () => world.sendText(from, [phone()]));
    await until(() => world.provider.taken.length === CONNECTIONS);
    const codes = await codesOf(from, person, PAIR_BURST).finally(() => release());
    assert.deepEqual(new Set(codes), new Set(['not_attempted']));
    await Promise.all(others);
    assert.deepEqual(await codesOf(from, person, 1), [undefined]);
  }));

it('messages that cannot reach the provider do not count against their person, however often they are tried', () =>
  undisturbed(async () => {
    const from = await world.connect();
    const person = phone();
    await world.provider.close();
    const codes = await codesOf(from, person, Math.ceil(PAIR_BURST / TRIES) + 1).finally(world.provider.reopen);
    assert.deepEqual(new Set(codes), new Set(['provider_unavailable']));
    // The whole burst for one person must still be there, and no more than that.
    const after = await codesOf(from, person, PAIR_BURST + 1);
    const taken = after.filter((code) => code === undefined).length;
    assert.deepEqual([taken, after.filter((code) => code === 'pair_rate_limited').length], [PAIR_BURST, 1]);
  }));
