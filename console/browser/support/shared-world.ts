import { after } from 'node:test';
import { startWorld, type World } from './world.ts';

let started: Promise<World> | undefined;

/**
 * One world for all test files that run in this process, because a gateway takes seconds to start. It ends with the tests of the process.
 */
export function sharedWorld(): Promise<World> {
  started ??= startWorld();
  return started;
}

after(async () => (await started)?.stop());
