import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS_DIR = fileURLToPath(new URL('../../docs', import.meta.url));

/** One page of the documentation. */
export interface DocsPage {
  /** Its path in docs/, such as `guides/operate.md`. */
  file: string;
  /** Its path below `/docs`, such as `guides/operate`; empty for the landing page. A README is the page of its folder. */
  name: string;
  markdown: string;
}

/**
 * Every page in docs/, read once. Whatever a caller asks for is looked up in this list, so no path can lead out of it.
 * They are a few hundred kilobytes, and a folder that is not there stops the start.
 */
export function readDocsPages(): DocsPage[] {
  return readdirSync(DOCS_DIR, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((file) => ({ file, name: nameOf(file), markdown: readFileSync(join(DOCS_DIR, file), 'utf8') }));
}

function nameOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}
