import type { Queryable } from '../../src/store/database.ts';

/** Has the database refuse every change of its schema, as an owner does with an event trigger for a while. */
export async function freezeSchema(database: Queryable): Promise<void> {
  await database.query(`
    create function refuse() returns event_trigger language plpgsql as
    $$ begin raise exception '% is frozen', tg_tag; end $$`);
  await database.query('create event trigger refuse on ddl_command_start execute function refuse()');
}
