import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeGateway } from '../src/api-description.ts';
import { routesAsData } from '../src/routes-as-data.ts';
import { runTool } from '../src/run-tool.ts';
import { SETTINGS } from '../src/settings.ts';
import { clientTypes } from './client-types.ts';
import { errorPages } from './error-pages.ts';
import { metricsPage } from './metrics-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Every file in this folder is generated. So a page is noticed whose code no longer exists. */
const ERRORS_DIR = 'docs/errors';

/** Writes the files that are generated from tables in the code. With `--check` it only says which of them differ. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    console.log(
      'npm run generate [-- --check]\n\nWrites the generated files, or tells which ones are not what the code says.',
    );
    return 0;
  }
  const files = await generatedFiles();
  const stale = readdirSync(join(ROOT, ERRORS_DIR))
    .map((name) => `${ERRORS_DIR}/${name}`)
    .filter((path) => !files.has(path));
  const drifted = [...files].filter(([path, text]) => readIfThere(path) !== text).map(([path]) => path);
  if (values.check === true) return report(drifted, stale);
  write(files, drifted, stale);
  return 0;
}

async function generatedFiles(): Promise<Map<string, string>> {
  const pages = [...errorPages()].map(([code, text]): [string, string] => [`${ERRORS_DIR}/${code}.md`, text]);
  const description = apiDescription();
  return new Map([
    ['.env.example', environmentExample()],
    ['docs/settings.md', settingsPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/openapi.json', description],
    ['client/src/types.ts', await clientTypes(description)],
    ...pages,
  ]);
}

/** With an address where nobody is. A running gateway names its own in `/openapi.json`. */
function apiDescription(): string {
  return `${JSON.stringify(describeGateway(routesAsData(), 'https://waypost.example'), undefined, 2)}\n`;
}

function environmentExample(): string {
  const head = [
    '# Every setting of Waypost with its default. Nothing reads this file by itself.',
    '# Copy it to `.env`, change what you need, and start with: set -a; . ./.env; set +a; npm start',
    '# Made from src/settings.ts by `npm run generate`.',
  ];
  const settings = SETTINGS.map((setting) => {
    const value = 'default' in setting ? setting.default : '';
    return [`# ${setting.help}`, `#${setting.name}=${value}`].join('\n');
  });
  return `${[head.join('\n'), ...settings].join('\n\n')}\n`;
}

function settingsPage(): string {
  const rows = SETTINGS.map((setting) => {
    const fallback = 'default' in setting ? `\`${setting.default}\`` : '';
    const range = 'min' in setting ? `${setting.min} to ${setting.max}` : WORDS[setting.kind];
    return `| \`${setting.name}\` | ${range} | ${fallback} | ${setting.help.replaceAll('|', '\\|')} |`;
  });
  return `# Settings

Settings are environment variables, such as \`PORT=9000 npm start\`. They take effect at the next start.

- **To see them:** \`npm run config\` prints the values that a start would use, and what is wrong with them.
- **To keep them in a file:** copy \`.env.example\`, which lists all of them, to \`.env\`, and start with
  \`set -a; . ./.env; set +a; npm start\`.
- **Secrets** may also be in a file: \`<NAME>_FILE\` is the path of the file, with one value a line. If there can be one value only, the first
  line counts. A start refuses the secret and the file at once, and an empty file.
- **In production** (\`NODE_ENV=production\`) a start needs app secrets, verify tokens, platform keys, a master key and a public address. It stops
  without them, and names all that are missing. Otherwise what is missing is made once and kept in \`secrets.json\` in the data folder, which
  only its owner can read.
- **Mistyped names** are ignored, and a start warns of them (\`settings.unknown\`).

The sandbox has [a few of its own](sandbox.md#settings-of-its-own).

| setting | value | default | meaning |
|---|---|---|---|
${rows.join('\n')}

This page is made from \`src/settings.ts\` by \`npm run generate\`.
`;
}

/** The words for each kind of setting's value. */
const WORDS: Record<(typeof SETTINGS)[number]['kind'], string> = {
  text: 'text',
  integer: 'whole number',
  switch: '`on` or `off`',
  secret: 'secret',
  secrets: 'secrets, separated by commas',
  port: 'port',
};

function readIfThere(path: string): string | undefined {
  try {
    // Line ends are made equal, for a checkout on another system.
    return readFileSync(join(ROOT, path), 'utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function report(drifted: string[], stale: string[]): number {
  if (drifted.length + stale.length === 0) {
    console.log('The generated files are up to date.');
    return 0;
  }
  for (const path of drifted) console.error(`${path} is not what the code says.`);
  for (const path of stale) console.error(`${path} should not be there.`);
  console.error('Mend it with "npm run generate".');
  return 1;
}

function write(files: Map<string, string>, drifted: string[], stale: string[]): void {
  for (const path of drifted) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), files.get(path) ?? '');
  }
  for (const path of stale) rmSync(join(ROOT, path));
  console.log(`${drifted.length} files written, ${stale.length} removed, of ${files.size} generated ones.`);
}

await runTool(main);
