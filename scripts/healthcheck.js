// For containers without curl: exit code 0 if the gateway of this container is alive. Plain JavaScript without dependencies.
const TIMEOUT_MS = 3_000;
const path = process.argv[2] ?? '/healthz';
const url = `http://127.0.0.1:${process.env.PORT || 8080}${path}`;

try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!ok) throw new Error(`${url} answered ${status}`);
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
