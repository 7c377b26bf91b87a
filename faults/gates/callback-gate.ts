import type { PostedBody } from '../balance/books.ts';
import { createDraw } from '../random.ts';
import { wholeBody } from '../whole-body.ts';
import { startListener } from './listener.ts';
import { createPoster, type Poster, type PosterOptions } from './poster.ts';

const REORDER_MAX_MS = 1_500;
const REORDERED_SHARE = 0.2;
const DOUBLED_SHARE = 0.1;
/** How many of the messages that were read are also reported as `played`, a status that none of our tables has. */
const PLAYED_SHARE = 0.1;

/** Takes notifications from the sandbox, and posts them until they are answered 200: doubled, delayed and in another order. */
export interface CallbackGate extends Pick<Poster, 'postings' | 'waiting'> {
  url: string;
  /** Posts a body that does not come from the sandbox, as many times as `copies` says. */
  post(body: Buffer, kind: PostedBody['kind'], copies: number): void;
  close(): Promise<void>;
}

export async function startCallbackGate(options: PosterOptions): Promise<CallbackGate> {
  const { post, postings, waiting, stop } = createPoster(options);
  const { url, goAway } = await startListener(async (request, response) => {
    const body = await wholeBody(request);
    if (body === undefined) return;
    response.writeHead(200).end();
    const text = body.toString();
    const draw = createDraw(options.seed, storyOf(text));
    const waitMaxMs = draw.chance(REORDERED_SHARE) ? REORDER_MAX_MS : 0;
    const kind = text.includes('"statuses"') ? 'status' : 'inbound';
    post({ body, kind, copies: draw.chance(DOUBLED_SHARE) ? 2 : 1, waitMaxMs });
    const played = Buffer.from(text.replace('"status":"read"', '"status":"played"'));
    if (!played.equals(body) && draw.chance(PLAYED_SHARE))
      post({ body: played, kind, copies: 1, waitMaxMs: REORDER_MAX_MS });
  });
  return {
    url: `${url}/`,
    postings,
    waiting,
    post: (body, kind, copies) => post({ body, kind, copies, waitMaxMs: REORDER_MAX_MS }),
    async close() {
      stop();
      await goAway();
    },
  };
}

/** What is the same about a notification in every run of a seed: the person and the status, but not the ids, which are made up. */
function storyOf(text: string): string {
  return [/"recipient_id":"(\d+)"/, /"status":"(\w+)"/].map((part) => part.exec(text)?.[1] ?? '').join(' ');
}
