import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { unavailable } from '../kernel/unavailable.ts';

/** The memory that all bodies on their way to us may hold together: as much as 32 of the largest. */
const ARRIVING_BYTES_MAX = 128 << 20;
/** An announced length is not believed beyond this. */
const FIRST_BYTES = 64 << 10;

/** Reads a request's body of at most `bytesMax`, and calls `done` once. Without a body it gives an empty one. */
export type ReadBody = (
  request: IncomingMessage,
  bytesMax: number,
  done: (error: Error | null, body?: Buffer) => void,
) => void;

/** A body that is on its way. */
interface Arriving {
  held: Buffer;
  giveUp(): void;
}

const EMPTY = Buffer.alloc(0);

/**
 * Makes what reads bodies. Each body is kept in one piece of memory: a sender may split a body into as many chunks as it has bytes,
 * and an object for each chunk took 400 bytes, so that a few requests without any key could end the process. All bodies that are
 * on their way share one room. When it is full, the body that has taken longest is given up: a real sender needs moments.
 */
export function createReadBody(arrivingBytesMax = ARRIVING_BYTES_MAX): ReadBody {
  /** The one that began first comes first. */
  const arriving = new Set<Arriving>();
  let bytesHeld = 0;

  function hold(one: Arriving, bytes: Buffer): void {
    bytesHeld += bytes.length - one.held.length;
    one.held = bytes;
  }

  function makeRoom(): void {
    for (const one of arriving) {
      if (bytesHeld <= arrivingBytesMax) return;
      one.giveUp();
    }
  }

  return (request, bytesMax, done) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > bytesMax) return done(tooLarge(bytesMax));
    const one: Arriving = { held: EMPTY, giveUp: () => end(unavailable('Too much is on its way to us.')) };
    let length = 0;

    const take = (chunk: Buffer) => {
      const needed = length + chunk.length;
      if (needed > bytesMax) return end(tooLarge(bytesMax));
      if (needed > one.held.length) {
        const wanted = Math.max(needed, Math.min(announced, FIRST_BYTES), one.held.length * 2);
        const grown = Buffer.allocUnsafe(Math.min(wanted, bytesMax));
        one.held.copy(grown, 0, 0, length);
        hold(one, grown);
      }
      chunk.copy(one.held, length);
      length = needed;
      if (bytesHeld > arrivingBytesMax) makeRoom();
    };
    const succeed = () => end(null);
    const breakOff = () => end(new ApiError('malformed_json', 'The body does not have the length that was announced.'));
    function end(error: Error | null): void {
      // It has ended already: a caller who goes away before the answer causes an error even after the body has come whole.
      if (!arriving.delete(one)) return;
      // Nothing comes after its end, so that to take the listeners off would be work for nothing, at every request.
      if (error !== null) request.off('data', take).off('end', succeed).off('error', breakOff);
      const body = one.held.subarray(0, length);
      hold(one, EMPTY);
      if (error === null) done(null, body);
      else done(error);
    }

    arriving.add(one);
    request.on('data', take).on('end', succeed).on('error', breakOff);
  };
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('payload_too_large', `The body is larger than the ${bytesMax} bytes that this route takes.`);
}
