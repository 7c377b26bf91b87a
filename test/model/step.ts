import fc from 'fast-check';
import type { Model } from './model.ts';
import type { Real } from './real.ts';

export type Step = fc.AsyncCommand<Model, Real>;

/** A call with all that may differ in it. It changes the model as the documentation says, and compares the answer with it. */
export function step<Given>(
  name: string,
  given: fc.Arbitrary<Given>,
  run: (model: Model, real: Real, given: Given) => Promise<void>,
): fc.Arbitrary<Step> {
  return given.map((values) => ({
    check: () => true,
    run: (model, real) => run(model, real, values),
    toString: () => `${name}(${JSON.stringify(values)})`,
  }));
}

/** Stands for one of those that there are: see `pick`. */
export const anIndex = fc.nat({ max: 11 });
/** Mostly the first, so that much comes together. */
export const anAccount = fc.constantFrom(0, 0, 0, 1);
/** One of its first keys. */
export const aCaller = fc.record({ account: anAccount, key: fc.nat({ max: 3 }) });
