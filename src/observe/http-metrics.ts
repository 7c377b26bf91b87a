import type { Registry } from 'prom-client';
import { SECONDS } from './buckets.ts';
import { createCounter } from './counter.ts';
import { createHistogram } from './histogram.ts';

export interface HttpMetrics {
  /** An HTTP call is over. `route` is the template, `code` the error's, `ok`, or `hung_up`. */
  answered(call: AnsweredCall): void;
}

export interface AnsweredCall {
  route: string;
  method: string;
  status: number;
  code: string;
  seconds: number;
}

/** Anybody may send any method; the rare ones share a label. */
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS']);
/** It stays open for as long as its reader likes. */
const STREAM = '/api/v1/events/stream';

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  const calls = createCounter({
    name: 'waypost_http_calls_total',
    help: 'HTTP calls that were answered, by route template and by error code (`ok`: no error, `hung_up`: the caller did not wait).',
    labelNames: ['route', 'method', 'status', 'code'],
    registers,
  });
  const seconds = createHistogram({
    name: 'waypost_http_call_seconds',
    help: 'From the first byte of an HTTP call to the last of its answer; the stream of events is left out.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  return {
    answered(call) {
      const { route, status, code } = call;
      calls.inc({ route, method: METHODS.has(call.method) ? call.method : 'other', status, code });
      if (route !== STREAM) seconds.observe({ route }, call.seconds);
    },
  };
}
