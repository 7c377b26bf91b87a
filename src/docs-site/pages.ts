import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** The client's page is in its package, where who installs it finds it. */
const ELSEWHERE: Record<string, string> = { 'client.md': 'client/README.md' };

/** One page of the documentation. */
export interface DocsPage {
  /** Its path below `/docs` as Markdown, such as `guides/operate.md`. */
  file: string;
  /** Its path in the project, from which its links lead. */
  source: string;
  /** Its path below `/docs`, such as `guides/operate`; empty for the landing page. A README is the page of its folder. */
  name: string;
  markdown: string;
}

/**
 * Every page in docs/, and the client's, read once. Whatever a caller asks for is looked up in this list, so no path can
 * lead out of it. They are a few hundred kilobytes, and a folder that is not there stops the start.
 */
export function readDocsPages(): DocsPage[] {
  const inDocs = readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((file): [string, string] => [file, `docs/${file}`]);
  return [...inDocs, ...Object.entries(ELSEWHERE)].map(([file, source]) => ({
    file,
    source,
    name: nameOf(file),
    markdown: readFileSync(join(PROJECT, source), 'utf8'),
  }));
}

function nameOf(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '');
}
