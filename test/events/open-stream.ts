import { type IncomingMessage, request } from 'node:http';

export interface Frame {
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
  data: any;
}

export interface OpenStream {
  answer: IncomingMessage;
  frames: Frame[];
  comments: string[];
  /** How the stream ended: its server ended it, or the connection broke. */
  ended: Promise<'ended' | 'broken'>;
  /** Hangs up. */
  close(): void;
}

/** Reads a stream of events on a connection of its own, and parses every frame. */
export async function openStream(
  url: string,
  key: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<OpenStream> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { authorization: `Bearer ${key}`, ...headers };
    const call = request(`${url}/api/v1/events/stream${query}`, { headers: all, agent: false }, resolve);
    call.on('error', reject);
    call.end();
  });
  const frames: Frame[] = [];
  const comments: string[] = [];
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block);
      else frames.push(readFrame(block));
    }
  });
  const ended = new Promise<'ended' | 'broken'>((resolve) => {
    answer.on('end', () => resolve('ended'));
    answer.on('error', () => resolve('broken'));
  });
  return { answer, frames, comments, ended, close: () => void answer.destroy() };
}

/** A frame must have exactly three lines. Any other form fails. */
function readFrame(block: string): Frame {
  const [, id, event, data] = /^id: ([0-9]+)\nevent: ([a-z.]+)\ndata: ([^\n]+)$/.exec(block) ?? [];
  if (id === undefined || event === undefined || data === undefined) throw new Error(`No frame: ${block}`);
  return { id: Number(id), event, data: JSON.parse(data) };
}
