import { read } from '../support/tree.ts';
import { type Recorded, STORES } from './record.ts';

const SQL = /^\s*(select|insert|update|delete|with|from|where|and|on conflict)\s|\b(from|into|update) \w+/;

/** The pieces of SQL in the stores that are in no recorded statement, because no call ran them. */
export function findUnrecorded(recorded: readonly Recorded[]): string[] {
  const texts = recorded.map(({ sql }) => plain(sql));
  return STORES.flatMap((store) =>
    literalsOf(read(store))
      .filter((literal) => !texts.some((text) => holdsInOrder(text, literal)))
      .map((literal) => `${store}: ${literal.join(' … ')}`),
  );
}

/** The texts of a file that are SQL, each in the pieces between its expressions. */
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

/** Parameters are numbered again when statements are put together, so the numbers are removed. */
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
