import { loadConfig } from '../src/config.ts';
import { backUpEmbedded } from '../src/store/embedded-backup.ts';

/** `npm run backup -- DIR`: copies the embedded database and the secrets in the data folder, also while a gateway runs. */
async function main(): Promise<void> {
  const [targetDir, ...more] = process.argv.slice(2);
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
