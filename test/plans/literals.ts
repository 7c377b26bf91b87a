import { read } from '../support/tree.ts';
import { type Recorded, STORES } from './record.ts';

const SQL = /^\s*(select|insert|update|delete|with|from|where|and|on conflict)\s|\b(from|into|update) \w+/;

/** The pieces of SQL in the stores that no recorded statement holds: what runs them was called in no way that does. */
export function findUnrecorded(recorded: readonly Recorded[]): string[] {
  const texts = recorded.map(({ sql }) => plain(sql));
  return STORES.flatMap((store) =>
    literalsOf(read(store))
      .filter((literal) => !texts.some((text) => holdsInOrder(text, literal)))
      .map((literal) => `${store}: ${literal.join(' … ')}`),
  );
}

/** Each text of a file that is SQL, in the pieces between its expressions. */
function literalsOf(file: string): string[][] {
  const code = file.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = code.matchAll(/`([^`]*)`|'((?:[^'\\\n]|\\.)*)'/g);
  return [...found]
    .map(([, template, quoted]) => template ?? quoted ?? '')
    .filter((text) => SQL.test(text))
    .map((text) =>
      text
        .replaceAll(/\\(.)/g, '$1')
        .split(/\$\{[^}]*\}/)
        .map(plain)
        .filter(Boolean),
    );
}

/** Parameters are numbered anew where statements are put together. */
function plain(sql: string): string {
  return sql.replaceAll(/\$\d*/g, '$').replaceAll(/\s+/g, ' ').trim();
}

function holdsInOrder(text: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
