export interface ServerSentEvent {
  id: string | null;
  type: string;
  data: string;
}

/**
 * Makes a reader of Server-Sent Events. It is called with pieces of the text as they arrive, in any size, and returns the events that are
 * complete. Comments are dropped.
 */
export function createSseReader(): (piece: string) => ServerSentEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => readBlock(block) ?? []);
  };
}

function readBlock(block: string): ServerSentEvent | undefined {
  const event: ServerSentEvent = { id: null, type: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [name, value] = readLine(line);
    if (name === 'data') data.push(value);
    if (name === 'event') event.type = value;
    if (name === 'id') event.id = value;
  }
  return data.length === 0 ? undefined : { ...event, data: data.join('\n') };
}

function readLine(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
