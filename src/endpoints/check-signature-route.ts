import { eventText } from '../events/event-text.ts';
import { findEvent } from '../events/store.ts';
import { accountRoute, type Route } from '../http/route.ts';
import type { Clock } from '../kernel/clock.ts';
import { parseId } from '../kernel/ids.ts';
import type { Owner } from '../kernel/principal.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { Sealer } from '../kernel/sealed.ts';
import type { Database } from '../store/database.ts';
import { checkSignature, readHeaders } from './check-signature.ts';
import { endpointOperations } from './operations.ts';
import { CHECK_BODY } from './requests.ts';
import { endpointKey, requireEndpoint } from './require.ts';

interface Deps {
  database: Database;
  inTurn: ReadsInTurn;
  sealer: Sealer;
  clock: Clock;
  docsUrl(): string;
}

/** Tells a customer why a signature does not verify, and never what the right one would be. */
export function checkSignatureRoute(path: string, deps: Deps): Route {
  return accountRoute({
    method: 'POST',
    path,
    scope: 'endpoints:manage',
    summary: 'Find out what is wrong with a signature that you received',
    operation: endpointOperations.checkSignature,
    bodyUse: 'json',
    bodySchema: CHECK_BODY,
    async handle({ principal, params, body, inLine }) {
      // Before anything is waited for, as the check of the body was: there may be eighty thousand of them.
      const headers = readHeaders(body.headers);
      const row = await requireEndpoint(deps.database, endpointKey(principal, params.id));
      // However small the body that is checked, the one that was sent may have 4 MiB.
      const findSent = () => findBody(deps, principal, headers.values['webhook-id']);
      const sentBody = await deps.inTurn(principal.accountId, findSent);
      const nowMs = deps.clock.nowMs();
      const expiresAt = row.previous_expires_at;
      const previous = row.previous_secret_sealed && deps.sealer.open(row.previous_secret_sealed, row.id);
      const check = {
        headers,
        body: body.body,
        sentBody,
        secret: deps.sealer.open(row.secret_sealed, row.id),
        previous:
          previous === null || expiresAt === null ? null : { secret: previous, valid: expiresAt.getTime() > nowMs },
        nowMs,
      };
      // A body may be taken apart and signed some twenty times to find what was done to it.
      return { status: 200, body: await inLine(() => checkSignature(check)) };
    },
  });
}

/** What we sent under this id; undefined for a test event, or one that has expired or never was. */
async function findBody(
  { database, docsUrl }: Deps,
  log: Owner,
  eventId: string | undefined,
): Promise<string | undefined> {
  const id = parseId('evt', eventId);
  const row = id === undefined ? undefined : await findEvent(database, log, id);
  return row && eventText(row, docsUrl());
}
