import type { Sandbox } from '../../sandbox/server.ts';

/** One try to hand over a message, as the sandbox read it. */
export interface SeenTransmit {
  id: string | null;
  to: string | null;
  recipient: string | null;
  taken: boolean;
  biz_opaque_callback_data: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  body: any;
}

/** What the sandbox has read, to that number where one is given. */
export async function transmitsOf({ url }: Sandbox, to?: string): Promise<SeenTransmit[]> {
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  const answer = await fetch(`${url}/_sandbox/messages${query}`);
  const { data }: { data: SeenTransmit[] } = JSON.parse(await answer.text());
  return data;
}
