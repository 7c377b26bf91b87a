import type { Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';
import { TunnelRefused } from './tunnel.ts';

interface Steps {
  /** Makes a connection without TLS, whatever the protocol. */
  open: buildConnector.connector;
  /** Puts TLS on the one in `httpSocket`. */
  secure: buildConnector.connector;
  timeoutMs: number;
  /** Told of each connection; `below` is the one without TLS. */
  made?(socket: Socket, below: Socket): void;
}

/**
 * How undici connects in two steps, with one time for both: who is slow in each would hold a connection for longer than anybody waits
 * for it.
 */
export function connectInTwoSteps({ open, secure, timeoutMs, made }: Steps): buildConnector.connector {
  return (options, callback) => {
    const begunMs = performance.now();
    const isSecure = options.protocol === 'https:';
    const port = options.port === '' ? (isSecure ? '443' : '80') : options.port;
    open({ ...options, protocol: 'http:', port }, (...opened) => {
      const [error, below] = opened;
      if (error !== null) return callback(error, null);
      if (!isSecure) {
        if (below.readableLength > 0) return callback(pageBehind(below), null);
        made?.(below, below);
        return callback(null, below);
      }
      const leftMs = Math.max(0, begunMs + timeoutMs - performance.now());
      const end = setTimeout(() => below.destroy(new errors.ConnectTimeoutError()), leftMs);
      secure({ ...options, httpSocket: below }, (...secured) => {
        clearTimeout(end);
        if (secured[0] === null) made?.(secured[1], below);
        callback(...secured);
      });
    });
  };
}

/**
 * In HTTP the other side waits for a request. What is there before comes with a proxy's consent, as the page of something that is no proxy.
 * undici would take it for a passing fault, and connect again at once, again and again.
 */
function pageBehind(below: Socket): Error {
  below.destroy();
  return new TunnelRefused(200);
}
