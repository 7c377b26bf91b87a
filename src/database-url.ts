import { errorCodeOf } from './kernel/error-code.ts';
import { StoreUnavailable } from './kernel/store-unavailable.ts';

/** The SQLSTATEs of what a role of PostgreSQL may not do, and of having no schema to make tables in. */
const NOT_OWNED = ['42501', '3F000'];
/** A table, type or function of that name is there already, or a table is another one than ours. */
const NAME_TAKEN = ['42P07', '42710', '42723', '42703'];
/** The server has given as many connections as it may, or as this user or database may have. */
const NONE_LEFT = '53300';

/**
 * What is wrong with DATABASE_URL if it is no address of a PostgreSQL, as a sentence for the operator. The driver would not name the
 * setting, and takes something else for an address of PostgreSQL. A URL without a host, as for a socket, is good, and so is the path of
 * a socket.
 */
export function databaseUrlFault(url: string | undefined): string | undefined {
  if (url === undefined || url.startsWith('/')) return undefined;
  if (/^\w+:\/\/([^/]*@)?[^/@]*,[^@]*$/.test(url))
    return 'DATABASE_URL must name one host, which leads to the primary: lists of hosts are not understood.';
  const parsed = /^postgres(ql)?:\/\//i.test(url) ? URL.parse(url.replace('@/', '@localhost/')) : null;
  // The end of a password with such a sign in it: what stands before would be looked up, and told, as the name of a host.
  if (parsed === null || `${parsed.pathname}${parsed.search}`.includes('@') || parsed.hash !== '')
    return (
      'DATABASE_URL is not well formed. It must look like postgresql://user:password@host:5432/database, with every ' +
      'sign of the password that is no letter or digit percent-encoded.'
    );
  return undefined;
}

/** Throws what the first use of the database threw; if it lies in DATABASE_URL (`url`), as a sentence that names that. */
export function tellDatabase(error: unknown, url: string | undefined): never {
  if (url === undefined) throw error;
  const code = errorCodeOf(error) ?? '';
  if (NOT_OWNED.includes(code) && error instanceof Error)
    throw new Error(`DATABASE_URL must name a database that its user owns: ${error.message}`, { cause: error });
  if (NAME_TAKEN.includes(code) && error instanceof Error)
    throw new Error(`DATABASE_URL must name a database that nothing else has tables in: ${error.message}`, {
      cause: error,
    });
  if (!(error instanceof StoreUnavailable)) throw error;
  if (errorCodeOf(error.cause) === NONE_LEFT)
    throw new Error(
      `The database server has no connection left. ${error.message}. Raise its max_connections, or the limit of the user or the ` +
        'database; or let each gateway open fewer (WAYPOST_DATABASE_CONNECTIONS).',
      { cause: error },
    );
  throw new Error(`DATABASE_URL must name a database that can be used. ${error.message}`, { cause: error });
}
