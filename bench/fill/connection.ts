import type { ClientConfig } from 'pg';
import type { Connection } from '../../src/store/database.ts';

/** How the driver is told where a database is. */
export function connectionOptions(connection: Connection): ClientConfig {
  if ('url' in connection) return { connectionString: connection.url };
  const { socketDir, ...rest } = connection;
  return { host: socketDir, ...rest };
}
