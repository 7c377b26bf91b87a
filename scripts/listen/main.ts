import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { parseArgs } from 'node:util';
import { PlainFault, runTool } from '../../src/run-tool.ts';
import { onParentGone } from '../../src/stop-signal.ts';
import { receive } from './receive.ts';
import { findGateway, type Registered, register } from './register.ts';

const HELP = `Receives events on this machine, verifies them and prints what arrived.

  npm run listen                              with the gateway of "npm start": registers itself, and leaves with Ctrl-C
  npm run listen -- --port 9000 --json        all of each event as JSON, one a line
  npm run listen -- --secret-file secret.txt  for an endpoint that you made yourself

  --port <number>       where to listen on 127.0.0.1; 9000, and 0 for any free port
  --secret-file <file>  a file with the endpoint's secret; - reads standard input. Then nothing is registered
  --secret <whsec_>     the same, but everybody on this machine can read it
  --data-dir <folder>   where the gateway keeps its dev.json; WAYPOST_DATA_DIR, else .waypost
  --json                prints each event whole`;

interface Options {
  port: number;
  secret: string | undefined;
  dataDir: string | undefined;
  json: boolean;
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === 'help') return console.log(HELP);
  const gateway = options.secret === undefined ? await findGateway(options.dataDir) : undefined;
  // An event may arrive before the answer that has the endpoint's secret. Such an event waits for the secret.
  const secret = Promise.withResolvers<string>();
  const receiving = { secret: secret.promise, seen: new Set<string>(), json: options.json };
  const server = createServer((request, response) => void receive(request, response, receiving));
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}/`;
  const registering = gateway && register(gateway, url);
  leaveInOrder(server, registering);
  // Otherwise it would go on listening, although the fault is reported and nothing can arrive.
  const registered = await registering?.catch((error: unknown) => {
    server.close();
    server.closeAllConnections();
    throw error;
  });
  const how = gateway ? `Events of the account of ${gateway.url} come to` : 'Verifying with your secret what comes to';
  console.log(`${how} ${url}. Stop with Ctrl-C.`);
  if (registered !== undefined && registered.beside.length > 0) console.log(warnOf(registered.beside));
  secret.resolve(registered?.secret ?? options.secret ?? '');
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '9000' },
      secret: { type: 'string' },
      'secret-file': { type: 'string' },
      'data-dir': { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return 'help';
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (!(port <= 65_535)) throw new PlainFault('--port must be a number from 0 to 65535.', 2);
  const { secret, 'secret-file': file, 'data-dir': dataDir, json = false } = values;
  if (secret !== undefined && file !== undefined) throw new PlainFault('Give --secret-file or --secret, not both.', 2);
  return { port, json, dataDir, secret: file === undefined ? checked(secret, '--secret') : readSecret(file) };
}

function readSecret(file: string): string | undefined {
  return checked(readFileSync(file === '-' ? 0 : file, 'utf8').trim(), 'What is in the file of --secret-file');
}

function checked(secret: string | undefined, name: string): string | undefined {
  if (secret === undefined || /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return secret;
  throw new PlainFault(`${name} must be whsec_ and base64, as the gateway showed it when the endpoint was made.`, 2);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      reject(
        inUse ? new PlainFault(`The port ${port} is in use. Choose another one with --port, or 0 for any.`) : error,
      );
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function warnOf(ids: string[]): string {
  return `Other endpoints of the account deliver here too, and no signature of theirs fits: ${ids.join(', ')}. Delete them, or listen at another --port.`;
}

/** Removes the endpoint however the listener ends: by Ctrl-C, with its terminal or npm, or because nobody reads its output, as with `| head`. */
function leaveInOrder(server: Server, registering: Promise<Registered> | undefined): void {
  let leaving = false;
  const leave = () => {
    if (!leaving) void end(server, registering);
    leaving = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, leave);
  onParentGone(leave);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leave);
}

async function end(server: Server, registering: Promise<Registered> | undefined): Promise<void> {
  server.close();
  server.closeAllConnections();
  try {
    await (await registering)?.remove();
  } catch (error) {
    if (!(error instanceof PlainFault)) throw error;
    console.error(`The endpoint could not be removed. ${error.message}`);
  }
  process.exit(0);
}

await runTool(main);
