import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import type { RequestAnswer } from './results.ts';

export interface RequestCalls {
  /** The answer of a send as it would be given now. */
  get(requestId: string, options?: CallOptions): Promise<RequestAnswer>;
}

export function requestCalls(http: Http): RequestCalls {
  return {
    get: (requestId, { signal } = {}) =>
      http.read(`/api/v1/requests/${encodeURIComponent(requestId)}`, 'results', { signal }),
  };
}
