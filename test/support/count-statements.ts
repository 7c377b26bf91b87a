import type { Queryable } from '../../src/store/database.ts';

/** A store that counts the statements which are run through it. */
export function countStatements<Store extends Queryable>(store: Store): { store: Store; statements(): number } {
  let statements = 0;
  const query: Queryable['query'] = (sql, values) => {
    statements += 1;
    return store.query(sql, values);
  };
  return { store: { ...store, query }, statements: () => statements };
}
