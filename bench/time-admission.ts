import { mintApiKey } from '../src/accounts/api-key.ts';
import { createAuthenticate } from '../src/accounts/authenticate.ts';
import { createRateLimits } from '../src/http/rate-limit.ts';
import { systemClock as clock } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/ids.ts';
import type { Queryable } from '../src/store/database.ts';
import { percentile } from './harness/figures.ts';

const CALLS = 20_000;

/**
 * How long the check of its key and its limits delays a request, in microseconds: the median of each round. It is measured in this process,
 * because the way over HTTP takes many times longer. A key is looked up again in the store after 1.5 s, but that is too rare to change a
 * median. So the store's place is taken here by memory.
 */
export async function timeAdmission(rounds: number): Promise<number[]> {
  const key = { id: newId(), account_id: newId(), mode: 'live', scopes: null, valid_seconds: null };
  const row = { ...key, place: 1 };
  const database: Queryable = { query: async <Row>() => [row as Row] };
  const authenticate = createAuthenticate({ database, platformKeys: [], clock });
  const limits = createRateLimits({ requests: 1e9, recipients: 1e9 }, clock);
  const authorization = `Bearer ${mintApiKey('live')}`;
  const medians: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const micros: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      const startMs = performance.now();
      const principal = await authenticate(authorization);
      if (principal.kind !== 'account') throw new Error('The key is an account’s');
      const left = { requests: undefined, recipients: undefined };
      limits.take('requests', principal.keyId, 1, left);
      limits.take('recipients', principal.keyId, 1, left);
      limits.fields(principal.keyId, left);
      micros.push((performance.now() - startMs) * 1_000);
    }
    medians.push(percentile(micros, 50));
  }
  return medians;
}
