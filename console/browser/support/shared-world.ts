import { after } from 'node:test';
import { startWorld, type World } from './world.ts';

let started: Promise<World> | undefined;

/** One world for all files that run in this process: a gateway takes seconds to be born. It ends with the process's tests. */
export function sharedWorld(): Promise<World> {
  started ??= startWorld();
  return started;
}

after(async () => (await started)?.stop());
