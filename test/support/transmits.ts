import type { Sandbox } from '../../sandbox/server.ts';

/** One attempt to transmit a message, as the sandbox read it. */
export interface SeenTransmit {
  id: string | null;
  to: string | null;
  recipient: string | null;
  taken: boolean;
  biz_opaque_callback_data: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  body: any;
}

/** The transmits that the sandbox has read, or only those to one number. */
export async function transmitsOf({ url }: Sandbox, to?: string): Promise<SeenTransmit[]> {
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  const answer = await fetch(`${url}/_sandbox/messages${query}`);
  const { data }: { data: SeenTransmit[] } = JSON.parse(await answer.text());
  return data;
}
