import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API_ERRORS } from '../src/kernel/errors.ts';
import { MESSAGE_ERRORS } from '../src/kernel/message-errors.ts';
import { folderOf, functionsOf, glob, hasSql, importsOf, linesOf, read } from './support/tree.ts';

const PORTS = ['kernel', 'store', 'http', 'observe', 'provider'];
/** Which folders a folder of src may import. It may also import what those may. */
const ARROWS: Record<string, string[]> = {
  kernel: [],
  store: ['kernel'],
  http: ['kernel'],
  observe: ['kernel'],
  'docs-site': ['kernel', 'http'],
  'console-site': ['kernel', 'http'],
  'platform-state': ['queues'],
  provider: ['kernel'],
  'provider/whatsapp': ['kernel', 'provider'],
  nodes: PORTS,
  people: PORTS,
  events: PORTS,
  accounts: [...PORTS, 'events'],
  endpoints: ['accounts'],
  statistics: PORTS,
  channels: ['accounts'],
  templates: ['channels'],
  messages: ['channels', 'templates', 'people', 'statistics'],
  notifications: ['messages'],
  erasure: ['messages'],
  keeping: PORTS,
  jobs: ['notifications', 'erasure', 'endpoints', 'nodes'],
  queues: ['endpoints'],
  watch: ['notifications', 'endpoints', 'queues'],
};
/** The parts of a slice. Each imports only the parts that it names. The files in the slice's own folder are for all parts. */
const PARTS: Record<string, string[]> = {
  'messages/parse': [],
  'messages/read': [],
  'messages/report': ['messages/read'],
  'messages/commit': ['messages/read', 'messages/report'],
  'messages/send': ['messages/parse', 'messages/read', 'messages/commit'],
  'endpoints/address': [],
  'endpoints/call': ['endpoints/address'],
  'endpoints/deliver': ['endpoints/address', 'endpoints/call'],
};
/** Only these may import the adapter and the embedded server: the composition root and the process. */
const EMBEDDED = 'src/store/embedded/';
const USERS: Record<string, string[]> = {
  'src/provider/whatsapp/': ['src/parts.ts'],
  [EMBEDDED]: ['src/main.ts'],
};

/** The files that know how the provider shows that it is the provider: docs/architecture.md says what else is known of it. */
const OF_THE_CALLBACK = [
  'src/http/answer-errors.ts', // It tells which header is missing.
  'src/kernel/error-docs.ts',
  'src/notifications/operations.ts',
  'src/notifications/receive.ts',
  'src/notifications/routes.ts',
  'src/start-sandbox.ts', // It signs what it asks of the sandbox in the same way.
];

/** The files that ask for the time of day. How long something takes must not depend on it, because it can be set. */
const TIME_OF_DAY = [
  'src/kernel/clock.ts',
  'src/kernel/ids.ts', // Ids tell when they were made.
  'src/messages/commit/end-strays.ts', // It compares with an id's time.
  'src/messages/commit/ledger.ts', // It compares with an id's time.
  'src/watch/attempts.ts', // It compares with an event's own time.
  'src/watch/batches.ts', // It compares with an id's time.
  'src/watch/sends.ts', // A trace tells when it began.
];

const FILE_LINES_MAX = 400;
const FILE_LINES_MEDIAN_MAX = 90;
const FUNCTION_LINES_MAX = 70;

/** Written in parts, so that this file does not contain what it forbids. */
const BANNED = new RegExp(
  ['TO' + 'DO', 'FIX' + 'ME', '\\.(only|skip)' + '\\(', '/(work|root|home|Users)' + '/\\w'].join('|'),
);

const FUNCTION_SET = /[\w)\]]\.#?\w+\s+(\?\?|\|\||&&)?=\s+(async\s+)?(function\b|(\w+|\([^()]*\))(:\s[^=]+)?\s=>)/;
/** This one is set only once, at the start. */
const FUNCTIONS_SET_ONCE = ['src/docs-site/markdown.ts'];

/** Files that scripts make. Nobody reads them from top to bottom. */
const GENERATED = /^(client\/src\/types\.ts$|client\/dist\/|console\/(dist|\.dist-building)\/)/;
const everyCode = glob('{src,sandbox,bench,faults,test,scripts,cli,client,console}/**/*.{ts,js,svelte}').filter(
  (path) => !GENERATED.test(path),
);
const code = everyCode.filter((path) => path.startsWith('src/') && !path.endsWith('.test.ts'));
const migrations = glob('src/store/migrations/*');
const pages = glob('{*.md,docs/**/*.md}');
const everyText = [...everyCode, ...migrations, ...pages, ...glob('{*.json,.env.example,.ci/*}')];

describe('the tree', () => {
  it('has no import against the arrows between the folders of src', () => {
    none(
      code.flatMap((path) =>
        importsOf(path)
          .filter((to) => !mayImport(path, to))
          .map((to) => `${path} imports ${to}`),
      ),
    );
  });

  it('has no import against the arrows between the parts of a slice', () => {
    const partOf = (path: string) => Object.keys(PARTS).find((part) => path.startsWith(`src/${part}/`)) ?? '';
    none(
      code.flatMap((path) =>
        importsOf(path)
          .filter((to) => partOf(path) !== partOf(to) && partOf(path) !== '' && partOf(to) !== '')
          .filter((to) => !PARTS[partOf(path)]?.includes(partOf(to)))
          .map((to) => `${path} imports ${to}`),
      ),
    );
  });

  it('has an adapter and an embedded server that nobody else knows', () => {
    const strangers = (part: string) => code.filter((path) => !path.startsWith(part) && !USERS[part]?.includes(path));
    const parts = Object.keys(USERS);
    none(parts.flatMap((part) => strangers(part).filter((path) => importsOf(path).some((to) => to.startsWith(part)))));
  });

  it('has customers of the HTTP API that import nothing from src', () => {
    const customers = everyCode.filter((path) => /^(sandbox|cli|client|console)\//.test(path));
    none(customers.filter((path) => importsOf(path).some((to) => to.startsWith('src/'))));
  });

  it('has SQL in store files only', () => {
    none(code.filter((path) => !path.startsWith('src/store/') && !/[/-]store\.ts$/.test(path)).filter(hasSql));
  });

  it("has the provider's own words in its adapter and the sandbox only, and those of its callback where that is", () => {
    const elsewhere = [...code, ...migrations].filter((path) => folderOf(path) !== 'provider/whatsapp');
    none(elsewhere.filter((path) => /wamid|waba|wa_id|messaging_product|biz_opaque/i.test(read(path))));
    assert.deepEqual(
      elsewhere.filter((path) => /\bhub\.|x-hub-/i.test(read(path))),
      OF_THE_CALLBACK,
    );
  });

  it('asks for the time of day only where it is written down', () => {
    assert.deepEqual(
      code.filter((path) => read(path).includes('Date.now()')),
      TIME_OF_DAY,
    );
  });

  it('takes nothing but types from node:http, which brings more along than is used: src/kernel/node-http.ts', () => {
    none(code.filter((path) => /^import (?!type )[^;]*from 'node:http'/m.test(read(path))));
  });

  it('makes no function where it is set as a property, for V8 keeps all that it reaches: docs/decisions/0027', () => {
    assert.deepEqual(
      code.filter((path) => FUNCTION_SET.test(read(path))),
      FUNCTIONS_SET_ONCE,
    );
  });

  it('has small files and small functions', () => {
    const lines = everyCode.map((path) => linesOf(read(path))).sort((a, b) => a - b);
    assert.ok((lines[Math.floor(lines.length / 2)] ?? 0) < FILE_LINES_MEDIAN_MAX);
    none(everyCode.filter((path) => linesOf(read(path)) > FILE_LINES_MAX));
    const functions = everyCode.flatMap((path) => functionsOf(path).map((found) => ({ path, ...found })));
    none(functions.filter(({ text }) => linesOf(text) > FUNCTION_LINES_MAX).map(({ path, name }) => `${path} ${name}`));
  });

  it('has nothing put off, no test left out, and no path of one machine', () => {
    none(everyText.filter((path) => BANNED.test(read(path))));
  });

  it('has a page for every error code', () => {
    const codes = [...Object.keys(API_ERRORS), ...Object.keys(MESSAGE_ERRORS)];
    none(codes.filter((code) => !pages.includes(`docs/errors/${code}.md`)));
  });

  it('has migrations numbered without gaps', () => {
    const expected = migrations.map((_, place) => `src/store/migrations/${String(place + 1).padStart(4, '0')}_`);
    assert.deepEqual(
      migrations.map((path) => path.replace(/(?<=\/\d{4}_)[a-z0-9_]+\.sql$/, '')),
      expected,
    );
  });
});

function none(wrong: string[]): void {
  assert.deepEqual(wrong, []);
}

/** A file of src itself, outside its folders, puts the folders together. No folder imports it. */
function mayImport(path: string, target: string): boolean {
  const [from, to] = [folderOf(path), folderOf(target)];
  return from === '' || from === to || reach(from).has(to);
}

function reach(folder: string): Set<string> {
  const direct = ARROWS[folder];
  assert.ok(direct, `The folder src/${folder} has no arrows: say in this test what it may import`);
  return new Set(direct.flatMap((to) => (PORTS.includes(to) ? [to] : [to, ...reach(to)])));
}
