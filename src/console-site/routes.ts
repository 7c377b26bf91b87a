import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Answer, publicRoute, type Route } from '../http/route.ts';
import { errorCodeOf } from '../kernel/error-code.ts';
import { ApiError } from '../kernel/errors.ts';

/**
 * The page runs scripts of this origin only and talks to it only. Nothing in it may stand inline, so that no text of a
 * message can ever become a script; and no other page may show it in a frame.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A key is typed into this page, so whatever a browser can be told to keep shut is shut. */
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The name of an asset holds a hash of what is in it, so it never changes. One folder, and no way out of it. */
const ASSET = /^assets\/[\w-][\w.-]*$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Asked for again every time, because it names the assets. */
const ALWAYS_ASKED = 'no-cache';

const NOT_BUILT = `The console is not built yet.

If the gateway has just been started with "npm start", it is being built now and is here in a few seconds.
Otherwise build it with "npm ci && npm run build:console"; the gateway need not be started again.
`;

/** The console's files, as its build has left them in `folder`, read anew each time: a build may come at any time. */
export function consoleRoutes(folder: string): Route[] {
  const route = (path: string, summary: string, answer: (name: string) => Promise<Answer>) =>
    publicRoute({
      method: 'GET',
      path,
      summary,
      operation: 'page',
      bodyUse: 'none',
      handle: ({ params }) => answer(params['*'] ?? ''),
    });
  return [
    route('/console', 'Open the console', () => answerPage(folder, './console/')),
    route('/console/', 'Open the console', () => answerPage(folder, './')),
    route('/console/*', 'Get a file of the console', (name) => answerAsset(folder, name)),
  ];
}

/** The page names its files from where it stands itself, so that a proxy may put all of it anywhere: `way` leads to them. */
async function answerPage(folder: string, way: './' | './console/'): Promise<Answer> {
  const body = await readIfThere(join(folder, 'index.html'));
  if (body !== undefined) {
    const page = body.toString().replaceAll('"./assets/', `"${way}assets/`);
    return answer('.html', Buffer.from(page), ALWAYS_ASKED);
  }
  const headers = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 503, body: NOT_BUILT, headers: { ...headers, 'retry-after': '3', refresh: '3' } };
}

async function answerAsset(folder: string, name: string): Promise<Answer> {
  const body = ASSET.test(name) ? await readIfThere(join(folder, name)) : undefined;
  if (body === undefined) throw new ApiError('not_found', 'The console has no such file.');
  return answer(extname(name), body, FOR_EVER);
}

function answer(extension: string, body: Buffer, cacheControl: string): Answer {
  const type = TYPES[extension] ?? 'application/octet-stream';
  return { status: 200, body, headers: { ...HEADERS, 'content-type': type, 'cache-control': cacheControl } };
}

/** What the system says of a path where no file is, or can be: anybody may ask for any name, however long. */
const NO_FILE = ['ENOENT', 'EISDIR', 'ENAMETOOLONG'];

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (NO_FILE.includes(errorCodeOf(error) ?? '')) return undefined;
    throw error;
  }
}
