import type { Logger } from 'pino';
import { isPassingFailure } from '../../store/passing-failure.ts';

/**
 * Tells of an error that must not end a send under way: what is known of its messages would be lost with it. A store that is
 * away, or a deadlock, is no fault of ours, and what meets it tells of it elsewhere.
 */
export function tellFault(log: Logger, error: unknown): void {
  if (!isPassingFailure(error)) log.error({ err: error }, 'send.fault');
}
