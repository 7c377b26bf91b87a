// For containers without curl: exit code 0 if the gateway of this container is alive. Plain JavaScript without dependencies.
const TIMEOUT_MS = 3_000;
const path = process.argv[2] ?? '/healthz';
// As the gateway reads its settings: blank counts as not given.
const url = `http://${address(process.env.HOST?.trim())}:${process.env.PORT?.trim() || 8080}${path}`;

try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!ok) throw new Error(`It answered ${status}.`);
} catch (error) {
  console.error(`${url}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}

/** Where the gateway can be asked that binds to `host`: what stands for all addresses is none that one can call. */
function address(host) {
  if (!host || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
