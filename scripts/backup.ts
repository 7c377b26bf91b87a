import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { backUpEmbedded } from '../src/store/embedded/backup.ts';

const HELP = `npm run backup -- DIR

Copies the embedded database and the secrets in the data folder into DIR, which must not exist or be empty; also while a
gateway runs. With DATABASE_URL the database is yours to back up: docs/guides/backup.md.`;

/** `npm run backup -- DIR`: copies the embedded database and the secrets in the data folder, also while a gateway runs. */
async function main(): Promise<void> {
  const options = { help: { type: 'boolean', short: 'h', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return console.log(HELP);
  const [targetDir, ...more] = positionals;
  if (targetDir === undefined || more.length > 0)
    throw new Error('Name the folder for the backup: npm run backup -- /backups/waypost-monday');
  const { dataDir, databaseUrl } = loadConfig();
  if (databaseUrl !== undefined)
    throw new Error(
      "DATABASE_URL names a database of your own. Back it up with PostgreSQL's tools: docs/guides/backup.md shows how.",
    );
  const log = { info: console.log, warn: console.error, error: console.error };
  await backUpEmbedded(dataDir, targetDir, log);
  console.log(`The backup is in ${targetDir}. It holds the secrets too: keep it where nobody else can read it.`);
}

try {
  await main();
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
