import { unlessUnavailable } from '../kernel/store-unavailable.ts';
import { type Connection, type Database, openDatabase } from './database.ts';

/** A text that nothing else prepares. */
const PROBE = 'select 1 as shared_session';

/**
 * Throws if a pooler lends one connection of the server to several of ours and does not keep their prepared statements apart. Otherwise
 * the gateway would find that out under load, and end with sends under way. A pooler lends what it got back last, so two connections that
 * ask one after the other meet at the same one, unless somebody else asks in that moment.
 */
export async function refuseSharedSession(database: Database, connection: Connection): Promise<void> {
  const other = openDatabase({ connection, connections: 1, onError: () => undefined });
  try {
    await database.query(PROBE);
    // A server that has no connection left for this may still have enough to work with.
    await unlessUnavailable(other.query(PROBE));
  } finally {
    await other.close();
  }
}
