import fc from 'fast-check';
import { expectAll } from './expect-all.ts';
import type { Model } from './model.ts';
import type { Real } from './real.ts';
import { changeEndpoint, deleteEndpoint, listEndpoints, makeEndpoint, replay } from './steps/endpoints.ts';
import { connect, makeAccount, makeKey, remove, revokeKey, rollKey, suspend } from './steps/platform.ts';
import { prefer, report, write } from './steps/provider.ts';
import { listMessages, readEvents, readMessage, readRequest } from './steps/read.ts';
import { send, validate } from './steps/send.ts';

/** Each as often as it stands here: what ends keys and accounts comes seldom, so that there is something to end. */
const STEPS = [
  ...times(10, send),
  ...times(14, report),
  ...[write, write, write, prefer, prefer, prefer, prefer, validate, validate],
  ...[readMessage, readMessage, readMessage, listMessages, listMessages, listMessages, readRequest, readRequest],
  ...[readEvents, readEvents, listEndpoints, listEndpoints],
  ...[makeEndpoint, makeEndpoint, makeEndpoint, changeEndpoint, changeEndpoint, deleteEndpoint, replay, replay],
  ...[makeKey, makeKey, revokeKey, rollKey, suspend, suspend, remove, connect, connect],
];

/** Whatever two customers, the provider and the platform do one after another, every answer is as documented. */
export function anySequence(real: Real) {
  return fc.asyncProperty(fc.commands(STEPS, { maxCommands: 80, size: 'max' }), async (steps) => {
    const model: Model = { accounts: [] };
    await makeAccount(model, real);
    await makeAccount(model, real);
    await fc.asyncModelRun(() => ({ model, real }), steps);
    await expectAll(model, real);
  });
}

function times<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}
