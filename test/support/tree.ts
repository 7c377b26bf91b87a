import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The paths from the project's root of all files that match. */
export function glob(pattern: string): string[] {
  const paths = globSync(pattern, { cwd: ROOT });
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function linesOf(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** The files of the project that a file imports. */
export function importsOf(path: string): string[] {
  const found = withoutComments(read(path)).matchAll(/(?:\bfrom|\bimport\(?)\s*['"](\.[^'"]+)['"]/g);
  return [...found].map(([, target = '']) => join(dirname(path), target).replaceAll('\\', '/'));
}

/** The folder of src that a file belongs to; empty if it is in none. */
export function folderOf(path: string): string {
  return /^src\/(provider\/whatsapp|[^/]+)\//.exec(path)?.[1] ?? '';
}

export function hasSql(path: string): boolean {
  const sql = /\b(select\s[^;'`]*?\sfrom\s+\w|insert into\s+\w|update\s+\w+(\s+\w+)?\s+set\s|delete from\s+\w)/;
  return sql.test(withoutComments(read(path)));
}

/** The statements of a store file by the names of their constants. The fragments of which they are made are filled in. */
export function statementsOf(path: string): { name: string; sql: string }[] {
  const parts = withoutComments(read(path))
    .split(/\n(?=[a-z])/)
    .map((sql) => ({ name: /(?:const|function) (\w+)/.exec(sql)?.[1] ?? '', sql }));
  const fragments = new Map(parts.map(({ name, sql }) => [name, sql]));
  const expand = (sql: string) => sql.replace(/\$\{([A-Z_]+)\}/g, (_, name) => fragments.get(name) ?? '');
  const isFragment = (name: string) => parts.some(({ sql }) => sql.includes(`\${${name}}`));
  return parts.filter(({ name }) => !isFragment(name)).map(({ name, sql }) => ({ name, sql: expand(sql) }));
}

/** The texts of the functions at the top level of a file, by their names. */
export function functionsOf(path: string): { name: string; text: string }[] {
  const found = read(path).matchAll(/^(?:export )?(?:async )?function (\w+)[\s\S]*?\n\}$/gm);
  return [...found].map(([text, name = '']) => ({ name, text }));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
