import type { Logger } from 'pino';
import { isPassingFailure } from '../../store/passing-failure.ts';

/**
 * Logs an error that must not end a send under way: what is known of its messages would be lost. A store that is away, or a
 * deadlock, is not our fault, and is logged where it is dealt with.
 */
export function tellFault(log: Logger, error: unknown): void {
  if (!isPassingFailure(error)) log.error({ err: error }, 'send.fault');
}
