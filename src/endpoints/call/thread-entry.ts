import { type MessagePort, parentPort } from 'node:worker_threads';
import { inOneMessage } from './one-message.ts';
import { createPoster } from './poster.ts';
import type { Order, Told } from './thread-messages.ts';

// Nobody's, where it is loaded to be compiled ahead.
if (parentPort !== null) serve(parentPort);

/** Makes the calls that come through the port. One that is impossible ends the thread, and with it the gateway. */
function serve(port: MessagePort): void {
  const poster = createPoster({ proxyUrl: process.env.WAYPOST_PROXY_URL });
  const underWay = new Map<number, AbortController>();
  const tell = inOneMessage<Told>((results) => port.postMessage(results));
  const call = async ({ id, request, local }: Order & { kind: 'call' }) => {
    const breaking = new AbortController();
    underWay.set(id, breaking);
    const result = await poster.post(request, local, breaking.signal);
    underWay.delete(id);
    tell({ id, result });
  };
  port.on('message', (orders: Order[]) => {
    for (const order of orders) {
      if (order.kind === 'call') void call(order);
      else underWay.get(order.id)?.abort();
    }
  });
}
