import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../src/config.ts';
import { PlainFault, runTool } from '../src/run-tool.ts';
import { backUpEmbedded } from '../src/store/embedded/backup.ts';

const HELP = `npm run backup -- DIR

Copies the embedded database and the secrets in the data folder into DIR, which must not exist or be empty; also while a
gateway runs. With DATABASE_URL the database is yours to back up: docs/guides/backup.md.`;

/** `npm run backup -- DIR`: copies the embedded database and the secrets in the data folder. A gateway may be running meanwhile. */
async function main(): Promise<void> {
  const options = { help: { type: 'boolean', short: 'h', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return console.log(HELP);
  const [targetDir, ...more] = positionals;
  if (targetDir === undefined || more.length > 0)
    throw new PlainFault('Name the folder for the backup: npm run backup -- /backups/waypost-monday', 2);
  const { dataDir, databaseUrl } = readConfig();
  if (databaseUrl !== undefined)
    throw new PlainFault(
      "DATABASE_URL names a database of your own. Back it up with PostgreSQL's tools: docs/guides/backup.md shows how.",
    );
  const log = { warn: console.error, error: console.error };
  const stopping = new AbortController();
  const stop = () => stopping.abort(new PlainFault('The backup was broken off, and what was copied is removed.'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const upTo = await backUpEmbedded(dataDir, targetDir, log, stopping.signal).catch(tell);
  console.log(
    `The backup is in ${targetDir}, with everything up to ${upTo.toISOString()}. It holds the secrets too: keep it where nobody else can read it.`,
  );
}

function readConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (error instanceof ConfigError) throw new PlainFault(error.message);
    throw error;
  }
}

/** An error of the server or its folders is for a person to mend, as at a start. Any other is thrown on. */
function tell(error: unknown): never {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
  throw new PlainFault(error.message);
}

await runTool(main);
