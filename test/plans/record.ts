import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Transaction } from '../../src/store/database.ts';
import { glob } from '../support/tree.ts';
import { standIn } from './stand-in.ts';
import { VARIANTS } from './variants.ts';

/** A statement as a store gives it to the database. */
export interface Recorded {
  /** The file of the store. */
  store: string;
  /** The function of the store that was called, and what was special about the call. */
  call: string;
  sql: string;
}

/** How a function begins that runs statements. */
const TAKES_STORE = /^(async )?function \w+\(\s*(store|tx)\b/;
/** More than any function runs, so that one which never ends is noticed. */
const STATEMENTS_MAX = 50;

/** The files of src that hold the SQL. */
export const STORES = glob('src/**/{*-,}store.ts');

/** Calls every function that a store exports, and returns the statements that it runs, each once. */
export async function recordStatements(): Promise<Recorded[]> {
  const recorded = new Map<string, Recorded>();
  for (const store of STORES) {
    const module: unknown = await import(pathToFileURL(join(import.meta.dirname, '../..', store)).href);
    for (const [name, exported] of Object.entries(Object(module))) {
      if (typeof exported !== 'function' || !TAKES_STORE.test(String(exported))) continue;
      const variants = VARIANTS[store]?.[name] ?? { '': [] };
      for (const [what, args] of Object.entries(variants)) {
        const call = what === '' ? name : `${name}, ${what}`;
        for (const sql of await runRecorded(exported, args, `${store} ${call}`))
          if (!recorded.has(`${store} ${sql}`)) recorded.set(`${store} ${sql}`, { store, call, sql });
      }
    }
  }
  return [...recorded.values()];
}

/** The texts of the statements that one call runs. Arguments that are not given are replaced by a stand-in. */
async function runRecorded(
  run: Parameters<typeof Reflect.apply>[0],
  args: readonly unknown[],
  call: string,
): Promise<string[]> {
  const texts: string[] = [];
  // Scripts, which change the schema, have no plan.
  let scripts = 0;
  const store: Transaction = {
    query: async (sql) => {
      texts.push(sql);
      if (texts.length > STATEMENTS_MAX) throw new Error(`${call} runs statements without end`);
      const rows: never[] = [];
      Reflect.set(rows, 0, standIn);
      return rows;
    },
    runScript: async () => {
      scripts += 1;
    },
  };
  const places = Array.from({ length: 10 }, (_, place) => (place < args.length ? args[place] : standIn));
  await Reflect.apply(run, undefined, [store, ...places]);
  if (texts.length + scripts === 0) throw new Error(`${call} runs no statement`);
  return texts;
}
