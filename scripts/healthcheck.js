// For containers without curl: exit code 0 if the gateway of this container is alive. Plain JavaScript without dependencies.
import { Agent, get } from 'node:http';

const TIMEOUT_MS = 3_000;
const path = process.argv[2] ?? '/healthz';
// A blank setting counts as not given, as in the gateway.
const url = `http://${address(process.env.HOST?.trim())}:${process.env.PORT?.trim() || 8080}${path}`;

try {
  const status = await ask();
  if (status < 200 || status > 299) throw new Error(`It answered ${status}.`);
} catch (error) {
  console.error(`${url}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}

/**
 * The status of the answer. It has an agent of its own: `fetch`, and Node's own agent, may use a proxy that the environment names
 * (NODE_USE_ENV_PROXY).
 */
function ask() {
  return new Promise((resolve, reject) => {
    const options = { agent: new Agent(), signal: AbortSignal.timeout(TIMEOUT_MS) };
    get(url, options, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
  });
}

/** Where a gateway can be reached that binds to `host`. What stands for all addresses is not itself an address that one can call. */
function address(host) {
  if (!host || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
