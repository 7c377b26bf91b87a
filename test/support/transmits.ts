import type { Sandbox } from '../../sandbox/server.ts';

/** One transmit, as the sandbox read it. */
export interface SeenTransmit {
  id: string | null;
  to: string | null;
  recipient: string | null;
  taken: boolean;
  /** Our id of the message. */
  biz_opaque_callback_data: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  body: any;
}

/** The transmits that the sandbox has read, or only those to one number. */
export function transmitsOf({ url }: Pick<Sandbox, 'url'>, to?: string): Promise<SeenTransmit[]> {
  return readTransmits(url, to === undefined ? {} : { to });
}

/** The transmits that the sandbox at this address has read, or only those to one number or with one `callback_data`. */
export async function readTransmits(url: string, query: Record<string, string>): Promise<SeenTransmit[]> {
  const answer = await fetch(`${url}/_sandbox/messages?${new URLSearchParams(query)}`);
  const { data }: { data: SeenTransmit[] } = JSON.parse(await answer.text());
  return data;
}
