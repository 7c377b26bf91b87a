import type { ServerResponse } from 'node:http';
import { answerInTurn } from './answer-in-turn.ts';

/** The memory that answers on their way to their callers may hold together. */
const UNREAD_BYTES_MAX = 128 << 20;
/** The system takes smaller answers off us, whether or not they are read; but not hundreds in a row on one connection. */
const LARGE_ANSWER_BYTES_MIN = 64 << 10;
/** As long as a stream waits for a reader that takes nothing. */
const STALLED_MS = 60_000;

/** Looks after an answer of so many bytes that is about to be written. */
export type HoldAnswer = (response: ServerResponse, bytes: number) => void;

/**
 * Keeps answers from piling up in memory for callers who ask and do not read. All answers that are not read yet share one room. When it
 * is full, the connection of the answer that was written first is closed, because a real reader needs moments. A connection on
 * which nothing is read for a minute is closed as well; it would stay for as long as its caller likes.
 */
export function holdUnreadAnswers(bytesMax = UNREAD_BYTES_MAX, stalledMs = STALLED_MS): HoldAnswer {
  /** The one that was written first comes first. */
  const unread = new Map<ServerResponse, number>();
  let bytesHeld = 0;

  function release(response: ServerResponse): void {
    bytesHeld -= unread.get(response) ?? 0;
    unread.delete(response);
  }

  return (response, bytes) => {
    const { socket } = response.req;
    const inTurn = answerInTurn(socket) ?? response;
    if (bytes < LARGE_ANSWER_BYTES_MIN && inTurn === response) return;
    // For a caller who has gone nothing waits, and no event would tell us that it is over.
    if (response.destroyed || socket.destroyed) return;
    unread.set(response, bytes);
    bytesHeld += bytes;
    response.once('close', () => release(response));
    // Not while one before it is still worked on: that may take longer than this.
    if (inTurn === response || inTurn.headersSent) socket.setTimeout(stalledMs);
    for (const [first] of unread) {
      if (bytesHeld <= bytesMax) return;
      release(first);
      first.req.socket.destroy();
    }
  };
}
