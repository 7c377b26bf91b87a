import { type MessagePort, parentPort } from 'node:worker_threads';
import { createPoster } from './poster.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

// Nobody's, where it is loaded to be compiled ahead.
if (parentPort !== null) serve(parentPort);

/** Makes the calls that come through the port. One that is impossible ends the thread, and with it the gateway. */
function serve(port: MessagePort): void {
  const poster = createPoster();
  const underWay = new Map<number, AbortController>();
  let results: FromThread = [];
  const tell = () => {
    port.postMessage(results);
    results = [];
  };
  const call = async ({ id, request, local }: ToThread['calls'][number]) => {
    const breaking = new AbortController();
    underWay.set(id, breaking);
    const result = await poster.post(request, local, breaking.signal);
    underWay.delete(id);
    // All that ends in one turn of the loop is one message: each of them wakes the other thread.
    if (results.push({ id, result }) === 1) setImmediate(tell);
  };
  port.on('message', ({ calls, breakOff }: ToThread) => {
    for (const one of calls) void call(one);
    for (const id of breakOff) underWay.get(id)?.abort();
  });
}
