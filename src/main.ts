import { pino } from 'pino';
import { createApp } from './app.ts';
import { type Config, loadConfig } from './config.ts';
import { type DevFile, prepareDemo } from './demo.ts';
import { completeSecrets } from './secrets.ts';
import { startSandbox } from './start-sandbox.ts';
import { onStopSignal } from './stop-signal.ts';
import { openDatabase } from './store/database.ts';
import { startEmbedded } from './store/embedded.ts';
import { migrate } from './store/migrate.ts';

/** The process: settings, database, sandbox, listeners; then the way back in the opposite order. */
async function main(): Promise<void> {
  const config = loadConfig();
  const log = pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  const secrets = completeSecrets(config);
  const undo: (() => Promise<void>)[] = [];
  const stopped = onStopSignal(config.stopBudgetMs);
  try {
    const { dataDir, databaseUrl } = config;
    const embedded = databaseUrl === undefined ? await startEmbedded({ dataDir, log: plainLog(log) }) : undefined;
    undo.push(async () => embedded?.stop());
    const database = openDatabase({
      connection: embedded?.connection ?? { url: databaseUrl ?? '' },
      connections: config.databaseConnections,
      onError: (error) => log.warn({ err: error }, 'database.connection_lost'),
    });
    undo.push(() => database.close());
    await migrate(database);

    const sandbox = config.sandbox
      ? await startSandbox({ port: config.sandboxPort, appSecret: secrets.sandboxAppSecret, dataDir })
      : undefined;
    undo.push(async () => sandbox?.stop());
    const app = await createApp({ config, secrets, database, log, sandboxUrl: sandbox?.url });
    undo.push(() => app.close());
    undo.push(() => app.drain());

    const listened = await app.server.listen({ host: config.host, port: config.port });
    const baseUrl = config.publicUrl ?? listened;
    app.setPublicUrl(baseUrl);
    if (config.metricsPort !== undefined)
      await app.internalServer.listen({ host: config.host, port: config.metricsPort });
    await sandbox?.register(`${listened}/api/messaging/webhook`);
    if (config.production) log.info({ url: baseUrl }, 'gateway.ready');
    else welcome(await prepareDemo({ database, app, secrets, dataDir, baseUrl, sandboxUrl: sandbox?.url }), config);
    await stopped;
    if (!config.production) console.log('Stopping: finishing what is under way.');
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function plainLog(log: pino.Logger) {
  return {
    info: (message: string) => log.info(message),
    warn: (message: string) => log.warn(message),
    error: (message: string) => log.error(message),
  };
}

function welcome(dev: DevFile, config: Config): void {
  console.log(`
Waypost is ready.

  API       ${dev.base_url}/api/v1
  Sandbox   ${dev.sandbox_url ?? 'off'}
  Test key  ${dev.test_key}
  All of it ${config.dataDir}/dev.json

Send to three people at once; one is reached, one is refused, one cannot be read:

curl -sS ${dev.base_url}/api/v1/messages/send \\
  -H 'Authorization: Bearer ${dev.test_key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"to": ["+447700900123", "+15550131026", "0770"], "type": "text", "text": {"body": "Your parcel is here"}}'

Stop with Ctrl-C.
`);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  // Settings and circumstances are told in a sentence; only our own faults show where they come from.
  console.error(error instanceof TypeError || error instanceof RangeError ? error : String(error));
  process.exit(1);
}
