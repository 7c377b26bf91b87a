import { createHash, timingSafeEqual } from 'node:crypto';
import type { SteadyClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { AccountPrincipal, Principal } from '../kernel/principal.ts';
import { createRemembered } from '../kernel/remember.ts';
import { storeTooSlow } from '../kernel/store-unavailable.ts';
import { withinMs } from '../kernel/within-ms.ts';
import { createBatcher } from '../store/batcher.ts';
import type { Queryable } from '../store/database.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';
import { findKeysByHash, type KeyWithAccountRow } from './key-store.ts';

/** A revocation is promised to be effective on every node within 2 s, so nothing is believed for longer than this. */
const BELIEVED_MS = 1_500;
/** What is in use is read again this long before, so that no call waits for it. */
const AHEAD_MS = 500;
/** Beyond this many keys in use within the time above the oldest are forgotten, which costs a query each. */
const REMEMBERED_MAX = 10_000;
/** Keys of one moment share a query: where thousands of accounts send now and then, nearly every send needs one read. */
const KEYS_A_QUERY_MAX = 100;

/** A statement on a connection that is dead waits for 35 s, and a send is to be answered in 25. */
const LOOK_UP_MS = 5_000;
const tooLong = storeTooSlow('No key was read in time', false);

export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

/** `forgetKeys` is for after a change of a key or an account: this node obeys it at once, the others soon. */
type Authentication = Authenticate & { forgetKeys(): void };

interface Deps {
  database: Queryable;
  platformKeys: readonly string[];
  clock: SteadyClock;
  /** Told of every use of a key that is valid. */
  onUsed?(accountId: string, keyId: string): void;
}

/**
 * Makes the check of the `Authorization` header. It throws `invalid_api_key` for missing, malformed, unknown, expired
 * and revoked keys alike, so that nothing tells them apart.
 */
export function createAuthenticate({ database, platformKeys, clock, onUsed }: Deps): Authentication {
  const platformHashes = platformKeys.map(sha256);
  const lookUps = createBatcher<Buffer, KeyWithAccountRow | undefined>({
    itemsMax: KEYS_A_QUERY_MAX,
    flush: (hashes) => findKeysByHash(database, hashes),
  });
  const keys = createRemembered({
    async load(key) {
      const askedMs = clock.steadyMs();
      const row = await withinMs(lookUps.add(hashApiKey(key)), LOOK_UP_MS, tooLong);
      return row && { row, validUntilMs: validUntilMs(row, askedMs) };
    },
    believedMs: BELIEVED_MS,
    aheadMs: AHEAD_MS,
    entriesMax: REMEMBERED_MAX,
    clock,
  });

  const authenticate: Authenticate = async (authorization) => {
    const key = bearerOf(authorization);
    if (key === undefined) throw invalidKey();
    if (key.startsWith('wp_root_')) {
      if (!isAmong(platformHashes, key)) throw invalidKey();
      return { kind: 'platform' };
    }
    // A mistyped one is refused without a look into the database, and is not remembered: it may be as long as a header.
    if (!isWellFormedApiKey(key)) throw invalidKey();
    const found = await keys.get(key);
    if (found === undefined || found.validUntilMs <= clock.steadyMs()) throw invalidKey();
    onUsed?.(found.row.account_id, found.row.id);
    return principalOf(found.row);
  };
  return Object.assign(authenticate, { forgetKeys: keys.forgetAll });
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
}

function isAmong(hashes: readonly Buffer[], key: string): boolean {
  const hash = sha256(key);
  // Every one is compared, so that the time tells nothing about which is right.
  return hashes.map((known) => timingSafeEqual(known, hash)).includes(true);
}

/**
 * Until when the steady clock lets a key be valid that was asked for at `askedMs`. The times in its row are the database's, and
 * this node's time of day may be another.
 */
function validUntilMs({ valid_seconds }: KeyWithAccountRow, askedMs: number): number {
  return valid_seconds === null ? Number.POSITIVE_INFINITY : askedMs + valid_seconds * 1_000;
}

function principalOf(row: KeyWithAccountRow): AccountPrincipal {
  return {
    kind: 'account',
    accountId: row.account_id,
    accountName: row.account_name,
    suspended: row.suspended_at !== null,
    keyId: row.id,
    keyName: row.name,
    mode: row.mode,
    scopes: row.scopes ?? undefined,
    expiresAt: row.expires_at ?? undefined,
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function invalidKey(): ApiError {
  return new ApiError(
    'invalid_api_key',
    'The API key is missing or not valid: send all of it as "Authorization: Bearer <API_KEY>".',
  );
}
