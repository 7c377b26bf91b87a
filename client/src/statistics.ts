import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import type { Statistics } from './types.ts';

export interface StatisticsQuery {
  /** RFC 3339; 24 hours before `until` if it is not given. */
  since?: string | undefined;
  /** RFC 3339; now if it is not given. */
  until?: string | undefined;
  /** How long each bucket is; without it, it depends on the range. */
  step?: Statistics['step'] | undefined;
}

export interface StatisticsCalls {
  /** How many messages of the key's mode were accepted, delivered, read and so on, in each bucket of a range. */
  get(query?: StatisticsQuery, options?: CallOptions): Promise<Statistics>;
}

export function statisticsCalls(http: Http): StatisticsCalls {
  return {
    get: (query = {}, { signal } = {}) => http.read('/api/v1/statistics', 'totals', { query: { ...query }, signal }),
  };
}
