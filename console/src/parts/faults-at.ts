import type { Failure } from '../api/failure.ts';

/** What a failure says about one field. */
export function faultsAt(failure: Failure | undefined, pointer: string): string[] {
  return (failure?.faults ?? []).filter(({ place }) => place === pointer).map(({ detail }) => detail);
}
