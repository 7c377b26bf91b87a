import { exchange } from '../../cli/api.ts';
import { printable } from '../../cli/table.ts';
import { PlainFault } from '../../src/run-tool.ts';
import { readDevFile } from '../read-dev-file.ts';

/** By this name a run finds an endpoint that an earlier run could not remove. */
const DESCRIPTION = 'npm run listen';
const CALL_TIMEOUT_MS = 5_000;

export interface Gateway {
  url: string;
  key: string;
}

/** The gateway of this machine, from the file that it wrote at its start. */
export async function findGateway(dataDir: string | undefined): Promise<Gateway> {
  const dev = await readDevFile(
    dataDir,
    "name its folder by --data-dir, or give an endpoint's secret by --secret-file.",
  );
  return { url: dev('base_url'), key: dev('test_key') };
}

export interface Registered {
  secret: string;
  /** The ids of other endpoints that deliver to this address. Events that are signed for them cannot be verified here. */
  beside: string[];
  remove(): Promise<void>;
}

/** Makes an endpoint for this listener, and replaces one that an earlier run has left. */
export async function register(gateway: Gateway, url: string): Promise<Registered> {
  const { data } = await call(gateway, 'GET', '?limit=100');
  const beside: string[] = [];
  for (const endpoint of Array.isArray(data) ? data : []) {
    const id = textOf(endpoint, 'id');
    if (textOf(endpoint, 'url') === url && Reflect.get(endpoint, 'description') === DESCRIPTION)
      await call(gateway, 'DELETE', `/${id}`);
    else if (Reflect.get(endpoint, 'enabled') === true && isSamePlace(textOf(endpoint, 'url'), url)) beside.push(id);
  }
  const created = await call(gateway, 'POST', '', { url, description: DESCRIPTION });
  const id = textOf(created, 'id');
  const remove = async () => void (await call(gateway, 'DELETE', `/${id}`));
  return { secret: textOf(created, 'secret'), beside, remove };
}

/** Every path of this port leads to this listener, by either of the host's two names. */
function isSamePlace(other: string, own: string): boolean {
  const { hostname, port } = new URL(other);
  return ['127.0.0.1', 'localhost'].includes(hostname) && port === new URL(own).port;
}

async function call(gateway: Gateway, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const target = `${gateway.url}/api/v1/endpoints${path}`;
  const init = {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  };
  const { status, text, json } = await exchange(target, init, CALL_TIMEOUT_MS).catch(() => {
    throw new PlainFault(`The gateway at ${gateway.url} does not answer. Start it with "npm start".`);
  });
  if (status < 200 || status > 299)
    throw new PlainFault(`The gateway refused the endpoint: ${status} ${printable(text)}`);
  if (text === '') return {};
  // The gateway of an old dev.json may have ended, and its port is another program's by now.
  if (json === undefined)
    throw new PlainFault(`What answers at ${gateway.url} is no gateway. Start one with "npm start".`);
  return Object(json);
}

function textOf(value: unknown, member: string): string {
  const text: unknown = Reflect.get(Object(value), member);
  if (typeof text !== 'string') throw new PlainFault(`The gateway's answer has no ${member}.`);
  return text;
}
