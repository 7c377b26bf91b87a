import { readFileSync } from 'node:fs';
import { type Answer, publicRoute, type Route } from '../http/route.ts';
import { ApiError } from '../kernel/errors.ts';
import { readDocsPages } from './pages.ts';
import { readPictures } from './pictures.ts';
import type { DocsSite } from './site.ts';

const STYLE_FILE = new URL('style.css', import.meta.url);

/**
 * Nothing but our own style and pictures, and no scripts: the pages have none, and a page in a page is refused too. The icon is empty data, so
 * that a browser asks for none.
 */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Short, so that a new release is seen soon.
  'cache-control': 'public, max-age=60',
  vary: 'accept',
};

/** The documentation, as HTML, or as Markdown for who asks for that or for a path that ends in `.md`. */
export function docsRoutes(): Route[] {
  const pages = readDocsPages();
  const byName = new Map(pages.map((page) => [page.name, page]));
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const findPicture = readPictures();
  let site: Promise<DocsSite> | undefined;
  // Most gateways are never asked for a page, and what renders them takes some megabytes.
  const load = () => (site ??= import('./site.ts').then(({ createDocsSite }) => createDocsSite(pages)));
  const answerPage = async (name: string, accept = ''): Promise<Answer> => {
    const page = byName.get(name);
    const source = page ?? byFile.get(name);
    if (source === undefined) throw new ApiError('not_found', 'There is no such page.');
    if (page === undefined || accept.includes('text/markdown')) return answerText('text/markdown', source.markdown);
    return answerText('text/html', (await load())(page));
  };
  const style = readFileSync(STYLE_FILE, 'utf8');
  const route = (path: string, summary: string, handle: Route['handle']) =>
    publicRoute({ method: 'GET', path, summary, operation: 'page', bodyUse: 'none', handle });
  return [
    // Whoever opens the bare address in a browser looks for what this is. Not for ever, and relative: a proxy may put it below a path.
    route('/', 'Find the documentation', async () => ({ status: 302, headers: { location: './docs' } })),
    route('/docs', 'Read the documentation', ({ request }) => answerPage('', request.headers.accept)),
    route('/docs/', 'Find the documentation', async () => ({ status: 308, headers: { location: '../docs' } })),
    // Where the pages link it, as Markdown: who reads that follows the links in it.
    route('/docs/openapi.json', 'Find the API description', async () => ({
      status: 308,
      headers: { location: '../openapi.json' },
    })),
    route('/docs/style.css', 'Read the style of the documentation', async () => answerText('text/css', style)),
    route('/docs/*', 'Read a page of the documentation', async ({ params: { '*': path = '' }, request }) => {
      const picture = findPicture(path);
      if (picture === undefined) return answerPage(path, request.headers.accept);
      return { status: 200, body: picture, headers: { ...PAGE_HEADERS, 'content-type': 'image/png' } };
    }),
  ];
}

function answerText(type: string, body: string): Answer {
  return { status: 200, body, headers: { ...PAGE_HEADERS, 'content-type': `${type}; charset=utf-8` } };
}
