import { randomBytes } from 'node:crypto';

/** The next step of a trace: its id and flags with a parent of our own (W3C Trace Context). */
export function continueTrace(traceparent: string): string {
  const [, traceId = '', , flags = ''] = traceparent.split('-');
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
}
