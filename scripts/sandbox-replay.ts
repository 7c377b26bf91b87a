import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { signBytes } from '../src/kernel/signature.ts';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { parseJson } from './parse-json.ts';
import { readDevFile } from './read-dev-file.ts';

const HELP = `Posts notification files to the running gateway, signed with the secret of its sandbox.

  npm run sandbox:replay -- FILE... [--data-dir DIR]

FILE        a JSON file as the provider would post it, byte for byte, or a folder: every .json file in it,
            except those that end in .expected.json, which say what is to become of a notification
--data-dir  the gateway's data folder (WAYPOST_DATA_DIR, else .waypost)

Example: npm run sandbox:replay -- src/provider/whatsapp/testdata/message_text.json

Ends with 0 if the gateway has acknowledged every file with 200, else with 1; with 2 if the command line is
wrong. What became of them: GET /platform/v1/notifications`;

const CALLBACK_PATH = '/api/messaging/webhook';
/**
 * How the files are named that say what a notification of the project's own collection must lead to. They lie beside the notifications, and
 * are none themselves.
 */
const EXPECTED = '.expected.json';
/** The provider waits about as long. */
const ANSWER_TIMEOUT_MS = 20_000;

interface Gateway {
  url: string;
  appSecret: string;
}

/** What happened to one file, in a sentence or the HTTP status of the answer. */
interface Outcome {
  acknowledged: boolean;
  said: string;
}

async function replay(): Promise<number> {
  const { paths, dataDir, help } = readCommand();
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (paths.length === 0) throw new PlainFault('Name at least one file (add --help for help).', 2);
  const dev = await readDevFile(dataDir, 'or name its folder by --data-dir.');
  const gateway = { url: dev('base_url'), appSecret: dev('sandbox_app_secret') };
  const outcomes: Outcome[] = [];
  let skipped = 0;
  for (const path of paths)
    for (const file of await filesOf(path)) {
      if (file !== path && file.endsWith(EXPECTED)) {
        skipped++;
        continue;
      }
      const outcome = await postFile(gateway, file);
      console.log(`${outcome.said}  ${file}`);
      outcomes.push(outcome);
    }
  const acknowledged = outcomes.filter((outcome) => outcome.acknowledged).length;
  console.log(`\n${acknowledged} of ${outcomes.length} acknowledged by ${gateway.url}`);
  if (skipped > 0) console.log(`${skipped} that end in ${EXPECTED} were not posted`);
  return outcomes.length > 0 && acknowledged === outcomes.length ? 0 : 1;
}

function readCommand() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, 'data-dir': { type: 'string' } },
  });
  return { paths: positionals, dataDir: values['data-dir'], help: values.help === true };
}

/** The file itself, or all JSON files of a folder. If it does not exist, that is found when it is read. */
async function filesOf(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = await readdir(path, { recursive: true });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return files.map((name) => join(path, name));
}

async function postFile(gateway: Gateway, file: string): Promise<Outcome> {
  // A file that cannot be read is reported in its line, and does not stop the others.
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) return { acknowledged: false, said: 'This file cannot be read:' };
  if (parseJson(bytes.toString('utf8')) === undefined) return { acknowledged: false, said: 'This file is not JSON:' };
  const status = await post(gateway, bytes);
  return { acknowledged: status === 200, said: String(status) };
}

async function post({ url, appSecret }: Gateway, bytes: Buffer<ArrayBuffer>): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signBytes(bytes, appSecret) };
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const answer = await fetch(url + CALLBACK_PATH, { method: 'POST', headers, body: bytes, signal }).catch(() => {
    throw new PlainFault(`No gateway answers at ${url}. Start it with "npm start".`);
  });
  await answer.body?.cancel();
  return answer.status;
}

await runTool(replay);
