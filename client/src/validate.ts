import type { Http } from './http.ts';
import type { CallOptions } from './options.ts';
import type { ValidationAnswer } from './results.ts';
import type { SendBody } from './types.ts';

export type Validate = (body: SendBody, options?: CallOptions) => Promise<ValidationAnswer>;

export function createValidate(http: Http): Validate {
  return (body, { signal } = {}) =>
    http.call({
      method: 'POST',
      path: '/api/v1/messages/validate',
      body,
      repeatable: 'always',
      proof: 'results',
      signal,
    });
}
