import { Pool } from 'undici';

/** The gateway's API, as the bench calls it in the place of a customer. An answer that is not a 2xx ends the bench. */
export interface GatewayApi {
  get(key: string, path: string): Promise<unknown>;
  post(key: string, path: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export function createGatewayApi(origin: string): GatewayApi {
  const pool = new Pool(origin, { connections: 64 });
  const call = async (key: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await pool.request({ method, path, headers, ...given });
    const bytes = Buffer.concat(await answer.body.toArray());
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${bytes}`);
    return bytes;
  };
  return {
    get: async (key, path) => JSON.parse(String(await call(key, 'GET', path))),
    post: async (key, path, body) => JSON.parse(String(await call(key, 'POST', path, body))),
    close: () => pool.close(),
  };
}

/** A member within an answer; undefined if there is none of that name. */
export function memberOf(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), value);
}

export function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`A list was expected: ${JSON.stringify(value)}`);
  return value;
}
