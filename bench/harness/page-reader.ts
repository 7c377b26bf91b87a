import { connect } from 'node:net';

/** Larger than any page that is read. */
const ANSWER_BYTES_MAX = 1 << 20;
const CHUNK_BYTES = 64 << 10;
const HEAD_END = '\r\n\r\n';

/** Reads pages one after another on one connection. */
export interface PageReader {
  /** Returns the body of a 200. Its bytes are overwritten when the next page is read. */
  read(path: string): Promise<Buffer>;
  close(): void;
}

/**
 * Reads into memory that it takes once, at the beginning. A client that takes new memory for each page makes garbage, and collecting it
 * delayed one read of a hundred as much as the slowest reads took: the bench measured itself.
 */
export function createPageReader(origin: string, key: string): PageReader {
  const { hostname, port, host } = new URL(origin);
  const answer = Buffer.alloc(ANSWER_BYTES_MAX);
  let filled = 0;
  let reading: PromiseWithResolvers<Buffer> | undefined;
  const take = (bytes: number, chunk: Uint8Array) => {
    answer.set(chunk.subarray(0, bytes), filled);
    filled += bytes;
    const body = bodyOf(answer.subarray(0, filled));
    if (body !== undefined) reading?.resolve(body);
    return true;
  };
  const socket = connect({
    ...{ host: hostname, port: Number(port), noDelay: true },
    onread: { buffer: Buffer.alloc(CHUNK_BYTES), callback: take },
  });
  const fail = () => reading?.reject(new Error('The gateway has closed the connection'));
  socket.on('error', fail).on('close', fail);
  return {
    read(path) {
      filled = 0;
      reading = Promise.withResolvers<Buffer>();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`);
      return reading.promise;
    },
    close: () => socket.destroy(),
  };
}

/** undefined: the answer is not complete yet. Throws if it is not a 200. */
function bodyOf(answer: Buffer): Buffer | undefined {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd === -1) return undefined;
  const head = answer.toString('latin1', 0, headEnd);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`The gateway answered ${head}`);
  const start = headEnd + HEAD_END.length;
  return answer.length < start + Number(length) ? undefined : answer.subarray(start, start + Number(length));
}
