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

/** The database carries out no deletion of more rows of these tables in the time of a statement, as where rows are very large. */
export async function letLargeDeletionsTakeTooLong(
  database: Database,
  tables: readonly string[],
  rows: number,
): Promise<void> {
  const triggers = tables.map(
    (table) => `
      create trigger take_too_long after delete on ${table} referencing old table as gone
      for each statement execute function take_too_long();`,
  );
  await database.transaction((tx) =>
    tx.runScript(`
      create function take_too_long() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > ${rows} then raise sqlstate '57014'; end if;
        return null;
      end $$;
      ${triggers.join('\n')}`),
  );
}
