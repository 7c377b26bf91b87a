import type { Queryable } from './database.ts';

/** A schema that has the table of a master key is Waypost's. Behind a pooler the address is that of the server itself. */
const INSTALLATION = `
  select current_database() as database, current_schema() as schema, current_user as "user", host(inet_server_addr()) as server,
    (select coalesce(array_agg(nspname::text order by nspname), '{}') from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relname = 'master_key_check' and relkind = 'r' and nspname <> current_schema()) as other_schemas`;

/** Where the tables are. */
export interface Installation {
  database: string;
  schema: string;
  user: string;
  /** null at a socket. */
  server: string | null;
  /** The schemas of the same database in which there is another installation. */
  other_schemas: string[];
}

export async function readInstallation(store: Queryable): Promise<Installation> {
  const [row] = await store.query<Installation>(INSTALLATION);
  if (row === undefined) throw new TypeError('A statement that has one row always gave none');
  return row;
}
