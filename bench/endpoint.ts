import { createServer } from 'node:http';
import { listenAsChild } from './harness/listen-as-child.ts';

/** A customer's endpoint, as quick as plain node:http allows. It counts the events that arrive, and how long they take. */
const ids = new Set<string>();
let taken = 0;
let firstMs = 0;
let lastMs = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/_bench/begin') begin();
    else if (request.url !== '/_bench/counts') note(String(request.headers['webhook-id']));
    response.end(request.url === '/_bench/counts' ? counts() : '');
  });
});

function begin(): void {
  taken = 0;
  ids.clear();
}

function note(eventId: string): void {
  lastMs = performance.now();
  if (taken === 0) firstMs = lastMs;
  taken += 1;
  ids.add(eventId);
}

function counts(): string {
  return JSON.stringify({ taken, different: ids.size, seconds: (lastMs - firstMs) / 1_000 });
}

server.keepAliveTimeout = 60_000;
await listenAsChild(server);
