import { request } from 'node:http';
import { connect } from 'node:net';
import { readJson, type TestAnswer } from './call-api.ts';

interface RawCall {
  method?: string;
  path?: string;
  /** Names and values in turn. A name may be there twice. */
  headers?: string[];
  body?: string | Uint8Array;
}

/** Makes a call that `fetch` would not make: with a header twice, or with any method or path. */
export function callRaw(url: string, { method = 'GET', path = '/', headers = [], body }: RawCall): Promise<TestAnswer> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: ['host', host, ...headers, ...length],
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      const given = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      resolve({ status: answer.statusCode ?? 0, headers: new Headers(given), text, json: readJson(text) });
    });
    sent.end(body);
  });
}

/** Writes bytes on a new connection. Returns everything that comes back until it is closed. */
export function exchangeBytes(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
