import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { signBytes } from '../../src/kernel/signature.ts';
import type { PostedBody } from '../balance/books.ts';
import { createDraw } from '../random.ts';

const RETRY_MS = 200;
/** The provider itself gives up a try after some seconds. */
const ANSWER_TIMEOUT_MS = 4_000;
const CALLBACK_PATH = '/api/messaging/webhook';

/** A body on its way to the gateways, and what became of it. */
export interface Posting extends PostedBody {
  body: Buffer;
}

export interface Parcel {
  body: Buffer;
  kind: PostedBody['kind'];
  copies: number;
  /** Each copy is held back for a random time up to this, so that some copies overtake others. */
  waitMaxMs: number;
}

/** Posts bodies until each copy of them is answered 200. */
export interface Poster {
  postings: Posting[];
  post(parcel: Parcel): void;
  /** How many copies still wait for their 200. */
  waiting(): number;
  stop(): void;
}

export interface PosterOptions {
  seed: number;
  /** The gateway that a balancer would choose for the next call; undefined if none is up. */
  nextGateway(): string | undefined;
  /** The secret with which this body is signed. */
  secretFor(body: string): string;
}

export function createPoster({ seed, nextGateway, secretFor }: PosterOptions): Poster {
  const known = new Map<string, Posting>();
  const postings: Posting[] = [];
  let waiting = 0;
  let stopped = false;

  async function carry(posting: Posting, waitMs: number): Promise<void> {
    waiting += 1;
    await wait(waitMs);
    const signature = signBytes(posting.body, secretFor(posting.body.toString()));
    while (!stopped && !(await tryOnce(posting, signature))) await wait(RETRY_MS);
    waiting -= 1;
  }

  async function tryOnce(posting: Posting, signature: string): Promise<boolean> {
    const gateway = nextGateway();
    if (gateway === undefined) return false;
    posting.posted += 1;
    const isAcknowledged = (await postOnce(gateway, posting.body, signature)) === 200;
    if (isAcknowledged) posting.acknowledged += 1;
    return isAcknowledged;
  }

  return {
    postings,
    post({ body, kind, copies, waitMaxMs }) {
      const sha256 = createHash('sha256').update(body).digest('hex');
      const posting = known.get(sha256) ?? { sha256, kind, body, acknowledged: 0, posted: 0 };
      if (!known.has(sha256)) postings.push(posting);
      known.set(sha256, posting);
      const draw = createDraw(seed, sha256);
      for (let copy = 0; copy < copies; copy++) void carry(posting, draw.below(waitMaxMs + 1));
    },
    waiting: () => waiting,
    stop() {
      stopped = true;
    },
  };
}

/** undefined if there was no answer. The body may be stored or not, so it is posted again, as the provider does. */
async function postOnce(gateway: string, body: Buffer, signature: string): Promise<number | undefined> {
  try {
    const answer = await fetch(gateway + CALLBACK_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
      body: Uint8Array.from(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await answer.text();
    return answer.status;
  } catch {
    return undefined;
  }
}
