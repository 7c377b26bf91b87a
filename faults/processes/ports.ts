import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems give ports out from 32768 on. These are lower, so that no other process gets the port of one that is dead for a moment and must
 * come back at the same address.
 */
const PORTS_FROM = 10_000;
const PORTS_OF_LANE = 60;
/**
 * So many processes that start lanes can have ports of their own. Two of them that run at the same time most likely have different ones.
 */
const STARTERS = 40;
export const LANES_MAX = 8;

/** The first port of a lane. */
export function portsFrom(starterPid: number, lane: number): number {
  return PORTS_FROM + ((starterPid % STARTERS) * LANES_MAX + lane) * PORTS_OF_LANE;
}

/** Gives out the ports of one lane in turn, and leaves out those that are in use. */
export function createPorts(from: number): () => Promise<number> {
  let taken = 0;
  return async () => {
    for (let tries = 0; tries < PORTS_OF_LANE; tries++) {
      const port = from + (taken++ % PORTS_OF_LANE);
      if (await isFree(port)) return port;
    }
    throw new Error(`None of the ports from ${from} on is free`);
  };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
