import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../http/header-values.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Mode } from '../../kernel/principal.ts';
import { createBatcher } from '../../store/batcher.ts';
import type { Queryable } from '../../store/database.ts';
import { findIdempotency, type IdempotencyRow, type WantedKey } from '../commit/idempotency-store.ts';

const KEYS_A_QUERY_MAX = 100;
const KEY = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/** An idempotency key with the body that it stands for. */
export interface IdempotencyClaim {
  key: string;
  bodySha256: Buffer;
}

/**
 * Reads the `Idempotency-Key` header: quoted, as the IETF draft has it, or bare, as most clients send it; both name the
 * same key. Throws `idempotency_key_invalid` for anything else and for a header given twice.
 */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  const given = headerValues(request, 'idempotency-key');
  const [text] = given;
  if (text === undefined) return undefined;
  if (given.length > 1) throw new ApiError('idempotency_key_invalid', 'The Idempotency-Key header was sent twice.');
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? text;
  if (KEY.test(key) && (quoted !== undefined || !text.startsWith('"'))) return key;
  throw new ApiError('idempotency_key_invalid', 'The key must have 1 to 255 visible ASCII characters.');
}

export function hashBody(rawBody: Buffer): Buffer {
  return createHash('sha256').update(rawBody).digest();
}

/**
 * Looks a key up: the stored answer if its first request is done, undefined if the key is free. Throws
 * `idempotency_mismatch` for another body and `idempotency_in_flight` while the first request runs or waits for recovery.
 */
export type FindReplay = (accountId: string, mode: Mode, claim: IdempotencyClaim) => Promise<string | undefined>;

/** Makes what looks keys up. Those of one moment share a query: most sends have a key, and one for each cost more than a commit. */
export function createFindReplay(store: Queryable): FindReplay {
  const lookUps = createBatcher<WantedKey, IdempotencyRow | undefined>({
    itemsMax: KEYS_A_QUERY_MAX,
    flush: (wanted) => findIdempotency(store, wanted),
  });
  return async (accountId, mode, { key, bodySha256 }) => {
    const known = await lookUps.add({ accountId, mode, key });
    if (known === undefined) return undefined;
    if (!known.body_sha256.equals(bodySha256))
      throw new ApiError('idempotency_mismatch', 'The first request with this key had another body.');
    if (known.answer === null)
      throw new ApiError('idempotency_in_flight', 'The first request with this key is still running.', {
        headers: { 'retry-after': '1' },
      });
    return known.answer;
  };
}
