import type { ClientConfig } from 'pg';
import type { Connection } from '../../src/store/database.ts';

/** The driver's options for connecting to a database. */
export function connectionOptions(connection: Connection): ClientConfig {
  if ('url' in connection) return { connectionString: connection.url };
  const { socketDir, ...rest } = connection;
  return { host: socketDir, ...rest };
}
