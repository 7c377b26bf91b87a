import type { Comparison, Extent, Figure } from './harness/compare.ts';
import { percentile } from './harness/figures.ts';
import { closedLoad, type Load, steadyLoad, type Target } from './harness/load.ts';

export const CALLERS = 64;
export const RECIPIENTS = 50;
/** So many callers keep every connection to the provider busy. */
export const CALLERS_OF_MANY = 8;
const SLOW_PROVIDER_MS = 100;

/** What a comparison is about: its baseline, and the target; null if it has none and is only shown. */
interface Wish {
  extent: Extent;
  gateway: Target;
  baseline: Target;
  of?: string;
  min?: number | null;
}

export function oneRecipient({ extent, gateway, baseline, of = '', min = 0.5 }: Wish): Comparison {
  const load = (target: Target) => closedLoad(target, 1, CALLERS, extent.roundMs);
  const name = `1 recipient a request, ${CALLERS} callers${of}: requests/s`;
  return {
    providerDelayMs: 0,
    recipients: 1,
    gateway: () => load(gateway),
    baseline: () => load(baseline),
    figures: [{ name, of: requestsPerSecond, by: 'ratio', target: min === null ? null : { min } }],
  };
}

export function manyRecipients({ extent, gateway, baseline, of = '', min = 0.6 }: Wish): Comparison {
  const load = (target: Target) => closedLoad(target, RECIPIENTS, CALLERS_OF_MANY, extent.roundMs);
  const name = `${RECIPIENTS} recipients a request, ${CALLERS_OF_MANY} callers${of}: recipients/s`;
  const target = min === null ? null : { min };
  return {
    providerDelayMs: 0,
    recipients: RECIPIENTS,
    gateway: () => load(gateway),
    baseline: () => load(baseline),
    figures: [{ name, of: (seen) => requestsPerSecond(seen) * RECIPIENTS, by: 'ratio', target }],
  };
}

export function slowProvider({ extent, gateway, baseline }: Wish): Comparison {
  const load = (target: Target) => closedLoad(target, RECIPIENTS, 1, extent.roundMs);
  const name = `${RECIPIENTS} recipients, a provider that takes ${SLOW_PROVIDER_MS} ms: ms to the answer`;
  return {
    providerDelayMs: SLOW_PROVIDER_MS,
    recipients: RECIPIENTS,
    gateway: () => load(gateway),
    baseline: () => load(baseline),
    figures: [{ name, of: latencyMs(50), by: 'ratio', target: { max: 1.15 } }],
  };
}

export function halfLoad({ extent, gateway, baseline }: Wish, perSecond: number): Comparison {
  const load = (target: Target) => steadyLoad(target, perSecond, extent.roundMs);
  const figure = (percent: number, max: number): Figure => ({
    name: `1 recipient at half load (${Math.round(perSecond)} requests/s): ms, p${percent}`,
    of: latencyMs(percent),
    by: 'difference',
    target: { max },
  });
  return {
    providerDelayMs: 0,
    recipients: 1,
    gateway: () => load(gateway),
    baseline: () => load(baseline),
    figures: [figure(50, 2), figure(99, 10)],
  };
}

const requestsPerSecond = ({ requests, seconds }: Load) => requests / seconds;
const latencyMs = (percent: number) => (load: Load) => percentile(load.latenciesMs, percent);
