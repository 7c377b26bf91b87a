import type { Logger } from 'pino';

/**
 * An error that nobody has caught is a fault of ours and ends the process. It goes to the log as all others do: Node itself would
 * print all its members, and an error of the database's driver has the refused row in it, with a person's number and words.
 */
export function tellUncaught(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'gateway.fault');
    if (log.level === 'silent') console.error(String(error));
    process.exit(1);
  });
}
