import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Operation } from '../operation.ts';
import { type Answer, type Call, publicRoute, type Route } from '../route.ts';
import { ref } from '../schema-words.ts';

/** Checked again by its etag after this: a new version must be seen soon, and asking costs little. */
const MAX_AGE_SECONDS = 3_600;

/**
 * Nothing from another origin, and no inline script. The reference page writes its styles into the page, has its icons
 * as data, and searches in a worker that it makes of a blob.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Waypost API reference</title>
    <link rel="icon" href="data:,">
    <style>body { margin: 0; font-family: system-ui, sans-serif } nav { padding: 8px 20px }</style>
  </head>
  <body>
    <nav><a href="../docs">Documentation</a> <a href="../openapi.json">openapi.json</a></nav>
    <noscript>This page needs JavaScript. All that it shows is in openapi.json.</noscript>
    <main id="reference"></main>
    <script src="api/redoc.js"></script>
    <script src="api/start.js"></script>
  </body>
</html>
`;

/** System fonts, because none may come from elsewhere. */
const START = `Redoc.init('../openapi.json', {
  hideDownloadButton: true,
  jsonSampleExpandLevel: 4,
  schemaExpansionLevel: 1,
  theme: {
    typography: {
      fontFamily: 'system-ui, sans-serif',
      headings: { fontFamily: 'system-ui, sans-serif' },
      code: { fontFamily: 'ui-monospace, monospace' },
    },
  },
}, document.getElementById('reference'));
`;

const OPERATION: Operation = {
  id: 'readDescription',
  tag: 'Service',
  description: 'This description. `servers` names the address under which it was read.',
  answers: {
    200: { description: 'A description in OpenAPI 3.1.', schema: ref('ApiDescription') },
    304: { description: 'It is still what `If-None-Match` names.' },
  },
};

/** The one thing that the bundle would get from another origin: the mark of its makers, beside their name. */
const FOREIGN_PICTURE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

interface Deps {
  /** `url` is where the API is served, without a final slash. */
  describe(url: string): unknown;
  publicUrl(): string;
}

/** The description of the API, and a reference page made of it that works without the internet. */
export function apiDescriptionRoutes({ describe, publicUrl }: Deps): Route[] {
  const description = once(publicUrl, (url) => tagged(JSON.stringify(describe(url))));
  const redoc = once(findBundle, (url) =>
    tagged(url === undefined ? '' : readFileSync(url, 'utf8').replaceAll(FOREIGN_PICTURE, 'data:,')),
  );
  const page = once(
    () => redoc().bytes.length > 0,
    (isBuilt) => tagged(isBuilt ? PAGE : PAGE.replace(/<script[\s\S]*<\/script>/, NOT_BUILT)),
  );
  const start = tagged(START);
  return [
    publicRoute({
      method: 'GET',
      path: '/openapi.json',
      summary: 'Read the description of this API',
      operation: OPERATION,
      bodyUse: 'none',
      handle: async (call) => cached(call, description(), 'application/json; charset=utf-8'),
    }),
    pageRoute('/docs/api', 'Look at the reference of this API', page, 'text/html; charset=utf-8'),
    pageRoute('/docs/api/start.js', 'Get what starts the reference page', () => start, SCRIPT),
    pageRoute('/docs/api/redoc.js', 'Get what shows the reference page', redoc, SCRIPT),
  ];
}

const NOT_BUILT = '<p>This page was not built: run "npm run build:console" with the development dependencies.</p>';

/** In the package while there are development dependencies, else where the build of the console has put it. */
function findBundle(): URL | undefined {
  const built = new URL('../../../console/dist/redoc.standalone.js', import.meta.url);
  if (existsSync(built)) return built;
  const installed = new URL('../../../node_modules/redoc/bundles/redoc.standalone.js', import.meta.url);
  return existsSync(installed) ? installed : undefined;
}

const SCRIPT = 'text/javascript; charset=utf-8';

function pageRoute(path: string, summary: string, read: () => Tagged, contentType: string): Route {
  return publicRoute({
    ...{ method: 'GET', path, summary, operation: 'page', bodyUse: 'none' },
    async handle(call) {
      const answer = cached(call, read(), contentType);
      const headers = {
        ...answer.headers,
        'content-security-policy': PAGE_POLICY,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      };
      return { ...answer, headers };
    },
  });
}

/** What is served, with its tag: made once, because anyone may ask for a megabyte of it as often as they like. */
interface Tagged {
  bytes: Buffer;
  etag: string;
}

function tagged(text: string): Tagged {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Whoever has it already gets 304. */
function cached({ request }: Call<unknown, unknown, unknown>, { bytes, etag }: Tagged, contentType: string): Answer {
  const headers = { etag, 'cache-control': `public, max-age=${MAX_AGE_SECONDS}`, 'content-type': contentType };
  // Something on the way may have made the tag a weak one, or the caller may know several.
  const isKnown = request.headers['if-none-match']?.includes(etag) === true;
  return isKnown ? { status: 304, headers } : { status: 200, body: bytes, headers };
}

/** Makes a value when it is first asked for, and again only when its source is another. */
function once<From, Made>(source: () => From, make: (from: From) => Made): () => Made {
  let known: { from: From; made: Made } | undefined;
  return () => {
    const from = source();
    if (known === undefined || String(known.from) !== String(from)) known = { from, made: make(from) };
    return known.made;
  };
}
