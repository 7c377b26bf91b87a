import type { IncomingMessage } from 'node:http';
import { Agent, request as call } from 'undici';

export interface Forwarded {
  status: number;
  text: string;
}

export interface Forwarder {
  /** Resolves with undefined if nobody is there, or if they hung up. */
  forward(request: IncomingMessage, body: Buffer): Promise<Forwarded | undefined>;
  underWay(): number;
  close(): Promise<void>;
}

/** Longer than the sandbox's slowest number takes. */
const ANSWER_TIMEOUT_MS = 70_000;

/** Passes calls on to the address that `targetUrl` gives at that time. */
export function createForwarder(targetUrl: () => string | undefined): Forwarder {
  const agent = new Agent({ connections: 64, headersTimeout: ANSWER_TIMEOUT_MS });
  let underWay = 0;
  return {
    async forward(request, body) {
      const url = targetUrl();
      if (url === undefined) return undefined;
      const { authorization, 'content-type': type } = request.headers;
      const headers = { ...(authorization && { authorization }), ...(type && { 'content-type': type }) };
      const given = request.method === 'POST' ? { method: 'POST' as const, body } : { method: 'GET' as const };
      underWay += 1;
      try {
        const answered = await call(url + request.url, { dispatcher: agent, headers, ...given });
        return { status: answered.statusCode, text: await answered.body.text() };
      } catch {
        // The sandbox died, or hung up as it does for some numbers. The gateway must see the same.
        return undefined;
      } finally {
        underWay -= 1;
      }
    },
    underWay: () => underWay,
    close: () => agent.destroy(),
  };
}
