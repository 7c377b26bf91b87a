import type { IncomingMessage } from 'node:http';
import { headerValues } from '../http/header-values.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { isSignedBy } from '../kernel/signature.ts';
import { storeTooSlow } from '../kernel/store-unavailable.ts';
import { unavailable } from '../kernel/unavailable.ts';
import { withinMs } from '../kernel/within-ms.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import type { Brought } from './backlog.ts';
import { insertPacks, type RawNotification } from './pack-store.ts';

/** One at a time: what comes during a commit shares the next pack, and fewer packs cost less. */
const COMMITS_MAX = 1;
/** As many as one transaction of applying takes: a pack is taken whole. */
const NOTIFICATIONS_A_PACK_MAX = 500;
/** As many as one transaction of applying takes, for the same reason. A larger body has a pack of its own. */
const BYTES_A_PACK_MAX = 1 << 20;
/** Bodies are held in memory until they are committed. Beyond this they are refused, and the provider repeats them. */
const BYTES_HELD_MAX = 64 << 20;

/** A statement on a dead connection ends after 35 s. The provider is told to repeat the notification before it has given up by itself. */
const COMMIT_WAIT_MS = 10_000;
/** It may be committed nonetheless, and come again: the same notification twice has one effect. */
const tooLong = storeTooSlow('No commit in time', true);

/** Whose secrets verify a notification decides which channels it may touch. */
export interface CallbackSecrets {
  live: readonly string[];
  test: readonly string[];
}

export interface Intake {
  /**
   * Verifies a notification over its raw bytes and commits it. Throws `invalid_signature` before anything is parsed or
   * stored, and `unavailable` when it cannot be committed: then the provider must repeat it. Returns whose secret it was.
   */
  receive(request: IncomingMessage, rawBody: Buffer): Promise<Mode>;
}

interface Deps {
  database: Queryable;
  secrets: CallbackSecrets;
  /** Told of each notification before it is packed. */
  count(rawBody: Buffer): Brought;
  /** Told after each notification is committed. */
  onReceived(): void;
  /** Told after each commit, with the number of notifications in it. */
  onCommit?(notifications: number): void;
}

export function createIntake({ database, secrets, count, onReceived, onCommit }: Deps): Intake {
  const commits = createBatcher<RawNotification, void>({
    itemsMax: NOTIFICATIONS_A_PACK_MAX,
    weightMax: BYTES_A_PACK_MAX,
    weightOf: ({ body }) => body.length,
    flushesMax: COMMITS_MAX,
    flush: async (raw) => {
      await insertPacks(database, raw);
      onCommit?.(raw.length);
      return raw.map(() => undefined);
    },
  });
  let bytesHeld = 0;

  return {
    async receive(request, rawBody) {
      const origin = originOf(request, rawBody, secrets);
      if (bytesHeld + rawBody.length > BYTES_HELD_MAX)
        throw unavailable('Too many notifications wait to be committed.');
      bytesHeld += rawBody.length;
      const { busy, onWritten } = count(rawBody);
      const committed = commits.add({ id: newId(), origin, body: rawBody, busy });
      const letGo = () => {
        onWritten();
        bytesHeld -= rawBody.length;
      };
      committed.then(letGo, letGo);
      await withinMs(committed, COMMIT_WAIT_MS, tooLong);
      onReceived();
      return origin;
    },
  };
}

/** Each list is compared whole, in constant time. The second list may be skipped, but that shows only to those who know a secret of the first. */
function originOf(request: IncomingMessage, rawBody: Buffer, secrets: CallbackSecrets): Mode {
  const given = headerValues(request, 'x-hub-signature-256');
  const signature = given.length === 1 ? given[0] : undefined;
  if (isSignedBy(rawBody, signature, secrets.live)) return 'live';
  if (isSignedBy(rawBody, signature, secrets.test)) return 'test';
  throw new ApiError('invalid_signature', 'The signature is missing or not right.');
}
