import type { Database } from '../../src/store/database.ts';

/**
 * Does the work while the database carries out nothing of these kinds in the time of a statement, as where somebody keeps a row locked. A kind
 * is what a trigger names, such as `delete on account for each row`.
 */
export async function whileTheyTakeTooLong(
  database: Database,
  kinds: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const triggers = kinds.map((kind) => `create trigger take_too_long before ${kind} execute function take_too_long();`);
  await database.transaction((tx) =>
    tx.runScript(`
      create function take_too_long() returns trigger language plpgsql as $$ begin raise sqlstate '57014'; end $$;
      ${triggers.join('\n')}`),
  );
  try {
    await work();
  } finally {
    await database.query('drop function take_too_long cascade');
  }
}
