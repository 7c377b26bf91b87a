export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined if it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  json: any;
}

/** Makes one HTTP call, with a key unless that is null. */
export async function callApi(url: string, method: string, path: string, call: CallOptions): Promise<TestAnswer> {
  const { key, body, headers } = call;
  const plain = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key != null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: plain ? body : JSON.stringify(body), duplex: 'half' }),
    redirect: 'manual',
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: readJson(text) };
}

/** undefined if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not every answer is JSON. A test that expects JSON will fail.
  }
}
