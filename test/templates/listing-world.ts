import { createWhatsAppProvider } from '../../src/provider/whatsapp/client/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ListingServer, startListingServer } from './listing-server.ts';

/** What a test needs to read templates: a database, a server that lists them, and the provider's adapter, which asks that server. */
export interface ListingWorld {
  test: TestDatabase;
  server: ListingServer;
  provider: ReturnType<typeof createWhatsAppProvider>;
  close(): Promise<void>;
}

export async function startListingWorld(): Promise<ListingWorld> {
  const test = await createTestDatabase();
  const server = await startListingServer();
  const live = { url: server.url, version: 'v25.0' };
  const provider = createWhatsAppProvider({ live, timeoutMs: 20_000, connections: 4 });
  return {
    ...{ test, server, provider },
    async close() {
      await provider.close();
      await server.close();
      await test.drop();
    },
  };
}
