import type { TestContext } from 'node:test';
import { createTestDatabase } from './database.ts';

/** The setting of a gateway for a database of its own, with the newest schema. The database ends with the test. */
export async function ownDatabase(t: TestContext): Promise<{ DATABASE_URL: string }> {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  return { DATABASE_URL: url };
}
