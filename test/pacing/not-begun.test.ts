import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertProblem } from '../support/problem.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

/** The provider takes so many messages to one person at once. */
const PAIR_BURST = 45;
const PERSON = '+447700900777';

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld({ WAYPOST_SEND_DEADLINE_MS: '2000' });
});
after(() => world.stop());

it('Sends that are answered 503 do not count against the person to whom nothing was transmitted', async () => {
  const from = await world.connect();
  const refused = await world.gateway.database.transaction(async (tx) => {
    await tx.query('lock table request in access exclusive mode');
    return Promise.all(Array.from({ length: PAIR_BURST }, () => world.sendText(from, [PERSON])));
  });
  for (const answer of refused) assertProblem(answer, 'unavailable');
  assert.deepEqual(world.provider.taken, []);
  const { json } = await world.sendText(from, [PERSON]);
  assert.equal(json.accepted_count, 1, JSON.stringify(json));
});
