import { basename, dirname, join, relative } from 'node:path/posix';
import type { DocsPage } from './pages.ts';

/** The description of the API is read best where the gateway shows it. */
const SHOWN_ELSEWHERE: Record<string, string> = { 'docs/openapi.json': '/docs/api' };
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Finds where a link in a page leads when the page is served. Its links are relative paths to files, as a git host
 * wants them. undefined: the file is in the project, but the gateway does not serve it.
 */
export function createLinks(pages: readonly DocsPage[]): (from: DocsPage, href: string) => string | undefined {
  const urls = new Map(pages.map(({ source, name }) => [source, urlOf(name)]));
  for (const [file, url] of Object.entries(SHOWN_ELSEWHERE)) urls.set(file, url);
  return (from, href) => {
    if (ABSOLUTE.test(href) || href.startsWith('#')) return href;
    const [path = '', fragment] = href.split('#', 2);
    const url = urls.get(join(dirname(from.source), path));
    if (url === undefined) return undefined;
    return relativeUrl(urlOf(from.name), url) + (fragment === undefined ? '' : `#${fragment}`);
  };
}

/** Where a page is served. */
export function urlOf(name: string): string {
  return name === '' ? '/docs' : `/docs/${name}`;
}

/** Relative, so that it is right behind a proxy that puts a path before ours. */
export function relativeUrl(from: string, to: string): string {
  return join(relative(dirname(from), dirname(to)), basename(to));
}
