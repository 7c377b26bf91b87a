import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { fillDataDir } from './fill/fill-data-dir.ts';
import { createCleanup } from './harness/cleanup.ts';
import { startGateway } from './harness/gateway.ts';
import { makeTestAccounts } from './harness/platform.ts';
import { readCount } from './harness/read-count.ts';

const USAGE = `npm run load -- [--messages N] [--data-dir DIR]

Makes a data folder with the messages of the last eight weeks and all that belongs to them, for a gateway to be started on.

  --messages N     how many (10000000)
  --data-dir DIR   a folder that is empty or not there yet; without it a new one in the system's folder for such things`;

/** How many accounts are made besides the one that every new data folder has. Each has a test key, so that the sandbox serves it. */
const ACCOUNTS = 15;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '10000000' },
      'data-dir': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const messages = readCount('--messages', values.messages);
  const given = values['data-dir'];
  if (given !== undefined && existsSync(given) && readdirSync(given).length > 0)
    throw new PlainFault(`There is something in ${given} already. Name a folder that is empty or not there yet.`, 2);
  const dataDir = resolve(given ?? (await mkdtemp(join(tmpdir(), 'waypost-load-'))));
  const cleanup = createCleanup();
  try {
    const gateway = await startGateway(cleanup, dataDir, { WAYPOST_LOG_LEVEL: 'warn' });
    const accounts = await makeTestAccounts(gateway, ACCOUNTS);
    await gateway.stop();
    await writeFile(join(dataDir, 'load.json'), `${JSON.stringify({ accounts }, undefined, 2)}\n`, { mode: 0o600 });
    const startMs = performance.now();
    const { rows, seconds, databaseBytes } = await fillDataDir(dataDir, messages, (what, count) => {
      const atSeconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      console.log(`${atSeconds.padStart(5)} s  ${what}: ${count.toLocaleString('en')} rows`);
    });
    const perSecond = Math.round(rows / seconds).toLocaleString('en');
    console.log(`${rows.toLocaleString('en')} rows in ${seconds.toFixed(0)} s: ${perSecond} rows/s`);
    console.log(`${(databaseBytes / 1e9).toFixed(1)} GB on the disk in ${dataDir}`);
    console.log(`Start a gateway on it with: WAYPOST_DATA_DIR=${dataDir} npm start`);
    console.log('The keys of its accounts are in dev.json and load.json there.');
  } finally {
    await cleanup.run();
  }
}

await runTool(main);
