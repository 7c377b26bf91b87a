import fc from 'fast-check';
import { expectAll } from './expect-all.ts';
import type { Model } from './model.ts';
import type { Real } from './real.ts';
import type { Step } from './step.ts';
import { changeEndpoint, deleteEndpoint, listEndpoints, makeEndpoint, replay } from './steps/endpoints.ts';
import { connect, makeAccount, makeKey, remove, revokeKey, rollKey, suspend } from './steps/platform.ts';
import { prefer, report, write } from './steps/provider.ts';
import { listMessages, readEvents, readMessage, readRequest } from './steps/read.ts';
import { send, validate } from './steps/send.ts';

const reading = [readMessage, listMessages, readRequest, readEvents, listEndpoints];
/** What belongs together. A step comes as often as it stands here. */
const KINDS = [
  [send, send, send, report, report, report, report, report, ...reading],
  [send, send, send, write, prefer, prefer, prefer, validate, validate, connect],
  [send, report, makeEndpoint, changeEndpoint, changeEndpoint, changeEndpoint, deleteEndpoint, replay, listEndpoints],
  [send, send, makeKey, makeKey, revokeKey, rollKey, suspend, connect, remove, makeEndpoint, report, ...reading],
];

/**
 * Whatever two customers, the provider and the platform do one after another, every answer is as documented. In half of the sequences it is
 * all about one thing: what needs three steps of a kind would hardly ever come about among all others.
 */
export function anySequence(real: Real) {
  const of = (steps: fc.Arbitrary<Step>[]) => fc.commands(steps, { maxCommands: 80, size: 'max' });
  const sequences = fc.oneof({ weight: KINDS.length, arbitrary: of(KINDS.flat()) }, ...KINDS.map(of));
  return fc.asyncProperty(sequences, async (steps) => {
    const model: Model = { accounts: [] };
    await makeAccount(model, real);
    await makeAccount(model, real);
    await fc.asyncModelRun(() => ({ model, real }), steps);
    await expectAll(model, real);
    real.models.push(model);
  });
}
