import { LEASE_MS } from '../kernel/lease.ts';

/** Far above the time of any statement of ours: one that takes longer waits for a lock, or for a machine in trouble. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * A transaction of a process that hangs must not hold its locks for long. When the lease of that process is over, other nodes settle its
 * work, and they skip the rows that are locked.
 */
export const IDLE_TRANSACTION_TIMEOUT_MS = LEASE_MS - 5_000;

/**
 * Set by a statement and not at the start of the connection, because a pooler refuses startup parameters that it does not know. Behind a
 * pooler in transaction mode these settings reach only some of the server connections. They do no harm there, since all these connections
 * are ours; to be sure that all have them, set them as the role's defaults (`alter role ... set ...`). Such a pooler must also keep
 * prepared statements (pgbouncer 1.21 or newer: `max_prepared_statements`).
 *
 * A plan is kept while its tables grow. A plan that was made while the week's partition was still empty would go on reading the whole
 * partition. So every look-up uses its index from the beginning, and has the order of the index
 * (docs/decisions/0020-plans-that-stay-right.md). Every statement also keeps its one plan: otherwise the server would plan our statements
 * anew for their arrays, which cost more than to carry them out. With these settings a table that must be read whole counts as very
 * expensive, and a server up to 17 would compile each such statement each time it runs: 400 ms for the marks of the statistics. So `jit` is
 * off.
 *
 * The owner of a database may set defaults for all of it. The rest of the list overrides those that would break our statements. A statement
 * must see what was committed when it began, and wait for a lock until its own time is over. The driver reads times only in the style of
 * ISO 8601, and any other as null. The texts must keep their meaning: the backslashes in them, a NULL in an array, a comparison with null,
 * the digits of a number. A connection must stay until we close it, and a transaction until it is done; a server up to 16 has no limit for
 * transactions, and does not know its name.
 *
 * A network may forget a connection without a word. The gateway closes it after some seconds, but of that the server hears nothing, and by
 * default it keeps its place for two hours: a few such failures would use up all that it has. So it looks after its client, as we do. On a
 * Unix socket that means nothing, and does no harm.
 */
export const SESSION_SETTINGS = `
  set statement_timeout to ${STATEMENT_TIMEOUT_MS};
  set idle_in_transaction_session_timeout to ${IDLE_TRANSACTION_TIMEOUT_MS};
  set plan_cache_mode to force_generic_plan;
  set enable_seqscan to off;
  set enable_bitmapscan to off;
  set jit to off;
  set default_transaction_isolation to 'read committed';
  set lock_timeout to 0;
  set datestyle to 'ISO';
  set timezone to 'UTC';
  set standard_conforming_strings to on;
  set array_nulls to on;
  set transform_null_equals to off;
  set extra_float_digits to 1;
  set idle_session_timeout to 0;
  set tcp_keepalives_idle to 30;
  set tcp_keepalives_interval to 10;
  set tcp_keepalives_count to 3;
  select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`;
