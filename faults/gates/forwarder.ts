import type { IncomingMessage } from 'node:http';
import { Agent, request as call } from 'undici';

export interface Forwarded {
  status: number;
  text: string;
}

export interface Forwarder {
  /** undefined: nobody is there, or it hung up. */
  forward(request: IncomingMessage, body: Buffer): Promise<Forwarded | undefined>;
  underWay(): number;
  close(): Promise<void>;
}

/** Longer than the sandbox's slowest number takes. */
const ANSWER_TIMEOUT_MS = 70_000;

/** Hands calls on to wherever `targetUrl` says. */
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
        // The sandbox died, or hung up as its number says: the gateway sees the same.
        return undefined;
      } finally {
        underWay -= 1;
      }
    },
    underWay: () => underWay,
    close: () => agent.destroy(),
  };
}
