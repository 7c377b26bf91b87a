import type { Logger } from 'pino';

/**
 * An error that nobody has caught is a fault of ours and ends the process. It is told as all others are: Node would write down
 * what it carries along, and a driver's carries the row that the database has refused, with a person's number and words.
 */
export function tellUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'gateway.fault');
    if (log.level === 'silent') console.error(String(error));
    process.exit(1);
  });
}
