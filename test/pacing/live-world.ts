import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestDatabase } from '../support/database.ts';
import { type CallOptions, startTestGateway, type TestAnswer, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

/** A message as it reached the provider. */
export interface Taken {
  /** Our id of the message. */
  id: string;
  /** The number, or the user id. */
  to: string;
  /** The header `Authorization` of its call. */
  authorization: string | undefined;
  atMs: number;
}

export interface LiveProvider {
  url: string;
  taken: Taken[];
  /** Called with each message before it is answered. If it returns the code of an error, the message is refused with it. */
  onMessage(taken: Taken): Promise<number | undefined> | number | undefined;
  /** From now on it answers no message, until what this returns is called; with the code of an error all of them are refused. */
  hold(): (code?: number) => void;
  /** The templates that it lists, for every business account. */
  templates: object[];
  /** Called before a listing of templates is answered. */
  onListing(): Promise<void> | undefined;
  close(): Promise<void>;
  /** Opens it again at the same address after `close`. */
  reopen(): Promise<void>;
}

/** What the provider knows of the first channel that a world connects. */
export const FIRST_LINE = { phoneNumberId: '1001', businessAccountId: '2', phoneNumber: '+447700900991' };

/** A provider on loopback that accepts every number and every message. */
export async function startLiveProvider(): Promise<LiveProvider> {
  const server = createServer((request, response) => {
    const atMs = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answer(request, Buffer.concat(chunks).toString(), atMs, response));
  });
  async function answer(request: IncomingMessage, text: string, atMs: number, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    if (url.includes('/message_templates')) await provider.onListing();
    if (!url.endsWith('/messages'))
      return send(response, { id: '1', verified_name: 'Live', success: true, data: provider.templates });
    const { recipient, to = recipient, biz_opaque_callback_data: id } = JSON.parse(text);
    const taken = { id, to, authorization: headers.authorization, atMs };
    provider.taken.push(taken);
    const code = await provider.onMessage(taken);
    if (code !== undefined) return send(response, { error: { code, message: 'Refused' } }, 400);
    send(response, { contacts: [{ input: to, wa_id: to.slice(1) }], messages: [{ id: `wamid.${id}` }] });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  const provider: LiveProvider = {
    url: `http://127.0.0.1:${port}`,
    taken: [],
    templates: [],
    onMessage: () => undefined,
    hold() {
      const held = Promise.withResolvers<number | undefined>();
      provider.onMessage = () => held.promise;
      return (code) => {
        provider.onMessage = () => undefined;
        held.resolve(code);
      };
    },
    onListing: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
  };
  return provider;
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export interface LiveWorld {
  provider: LiveProvider;
  gateway: TestGateway;
  liveKey: string;
  /**
   * Connects a live channel through the platform's API, and waits until the gateway can send from it. Its throughput is what the provider
   * reported, or the one that is given.
   */
  connect(throughputPerSecond?: number): Promise<string>;
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  sendText(from: string, to: readonly string[]): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** A gateway whose live channels send to a provider on loopback. `testDatabase` is dropped at the end. */
export async function startLiveWorld(
  settings: Record<string, string> = {},
  testDatabase?: TestDatabase,
): Promise<LiveWorld> {
  const provider = await startLiveProvider();
  const gateway = await startTestGateway({
    settings: { WAYPOST_PROVIDER_URL: provider.url, ...settings },
    ...(testDatabase && { testDatabase }),
  });
  const liveKey = await gateway.createKey({ mode: 'live' });
  let channels = 0;
  const call: LiveWorld['call'] = (method, path, options) => gateway.call(method, path, { key: liveKey, ...options });
  return {
    provider,
    gateway,
    liveKey,
    async connect(throughputPerSecond) {
      channels++;
      const body = {
        phone_number_id: String(1_000 + channels),
        business_account_id: FIRST_LINE.businessAccountId,
        access_token: 'token',
        mode: 'live',
        display_phone_number: `+44770090099${channels}`,
      };
      const path = `/platform/v1/accounts/${gateway.accountId}/channels`;
      const { status, json, text } = await gateway.call('POST', path, { key: gateway.platformKey, body });
      assert.equal(status, 201, text);
      if (throughputPerSecond !== undefined)
        await gateway.database.query('update channel set throughput_per_second = $1 where phone_number_id = $2', [
          throughputPerSecond,
          body.phone_number_id,
        ]);
      // The gateway remembers an account's channels for a moment.
      const validated = { from: json.id, to: '+447700900600', type: 'text', text: { body: 'Hello' } };
      await until(async () => (await call('POST', '/api/v1/messages/validate', { body: validated })).status === 200);
      return json.id;
    },
    call,
    sendText: (from, to) =>
      call('POST', '/api/v1/messages/send', { body: { from, to, type: 'text', text: { body: 'Hello' } } }),
    async stop() {
      await gateway.stop();
      await provider.close();
    },
  };
}
