import type { TestContext } from 'node:test';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { TestDatabase } from '../support/database.ts';
import { type MovableAddress, startMovableAddress } from './movable-address.ts';
import { type PostgresTools, startPostgresTools } from './postgres-tools.ts';

export interface Pair {
  servers: PostgresTools;
  /** The address that gateways use. It leads to the primary until it is moved. */
  address: MovableAddress;
  db: TestDatabase;
}

/** What the primary acknowledges is then on the standby's disk too. */
const SYNCHRONOUS = { synchronous_standby_names: 'standby', synchronous_commit: 'on' };

/** A primary and its synchronous standby, by these names, with the newest schema. Both end with the test. */
export async function startPair(t: TestContext): Promise<Pair> {
  const servers = await startPostgresTools(t);
  await servers.init('primary');
  await servers.start('primary');
  await servers.createDatabase('primary', 'waypost');
  await servers.follow('standby', 'primary');
  await servers.start('standby');
  await servers.stop('primary');
  await servers.start('primary', SYNCHRONOUS);
  const address = await startMovableAddress(servers.socketOf('primary'));
  const url = `postgresql://waypost@127.0.0.1:${address.port}/waypost`;
  const connection = { url };
  const database = openDatabase({ connection, connections: 4, onError: () => undefined });
  await migrate(database);
  const drop = async () => {
    await database.close();
    await address.close();
  };
  return { servers, address, db: { database, connection, url, drop } };
}
