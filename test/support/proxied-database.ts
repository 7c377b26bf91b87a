import { openDatabase } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';

/** A test's database that is reached through a proxy, so that it can be away for a while. */
export interface ProxiedDatabase extends TestDatabase {
  proxy: DatabaseProxy;
}

export async function startProxiedDatabase(): Promise<ProxiedDatabase> {
  const behind = await createTestDatabase();
  const proxy = await startDatabaseProxy(behind.url);
  const connection = { url: proxy.url };
  const database = openDatabase({ connection, connections: 10, onError: () => undefined });
  return {
    ...{ proxy, database, connection, url: proxy.url },
    async drop() {
      await database.close();
      await proxy.close();
      await behind.drop();
    },
  };
}
