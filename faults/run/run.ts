import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { balance } from '../balance/balance.ts';
import type { Books } from '../balance/books.ts';
import type { Plan } from '../plan.ts';
import { repeatAll, sendAll } from './callers.ts';
import { comeToRest } from './come-to-rest.ts';
import type { Ground } from './ground.ts';
import { injectFaults, mendAll } from './inject.ts';
import { postAll } from './post-all.ts';
import { readBooks } from './read-books.ts';
import { startWorld, type World } from './world.ts';

/** The result of one run. */
export interface RunResult {
  plan: Plan;
  /** undefined if the run did not come to rest. */
  books: Books | undefined;
  /** Everything that does not balance. If there is none, the run has passed. */
  faults: string[];
  seconds: number;
  /** Everything that the gateways have printed, and the end of the database's log. */
  output: string;
}

/** Does one run: load and faults at once, then everything is brought back, then it waits until all is quiet, and balances the books. */
export async function run(ground: Ground, plan: Plan): Promise<RunResult> {
  const startMs = performance.now();
  const result: RunResult = { plan, books: undefined, faults: [], seconds: 0, output: '' };
  try {
    await runIn(await startWorld(ground, plan), ground, result);
  } catch (error) {
    result.faults.push(sentenceOf(error));
  }
  ground.endRun = async () => {};
  result.seconds = (performance.now() - startMs) / 1_000;
  return result;
}

async function runIn(world: World, ground: Ground, result: RunResult): Promise<void> {
  ground.endRun = world.close;
  try {
    result.books = await carryOut(world, result.plan);
    result.faults = balance(result.books);
  } catch (error) {
    result.faults.push(sentenceOf(error));
  }
  result.faults.push(...world.deaths());
  // Read before the world is closed, which may fail if the database does not come back.
  const printed = world.gateways.map((slot, place) => `== gateway ${place}\n${slot.output()}`);
  result.output = [...printed, `== database\n${ground.postgres.endOfLog()}`].join('\n');
  await world.close();
}

function sentenceOf(error: unknown): string {
  // With its cause: if a call failed, only that says why.
  return inspect(error);
}

async function carryOut(world: World, plan: Plan): Promise<Books> {
  const { callback, provider, accounts } = world;
  const sent = sendAll(world, plan);
  // The first that fails ends the run. The others then end by themselves.
  sent.catch(() => undefined);
  await Promise.all([
    injectFaults(world, plan),
    postAll(callback, plan, accounts.test.phoneNumberId),
    wait(plan.loadMs),
  ]);
  await mendAll(world);
  const sends = await sent;
  await comeToRest(world);
  const before = provider.transmits.length;
  await repeatAll(world, plan, sends);
  await repeatAll(world, plan, sends);
  await comeToRest(world);
  return readBooks(world, plan, sends, { before, after: provider.transmits.length });
}
