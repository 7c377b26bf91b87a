import type { Clock } from '../../kernel/clock.ts';
import { formatId, newId } from '../../kernel/ids.ts';
import { createMemo } from '../../kernel/memo.ts';
import type { Mode } from '../../kernel/principal.ts';
import { rememberOpened, type Sealer } from '../../kernel/sealed.ts';
import type { Traces } from '../../observe/traces.ts';
import { readEndpointUrl, type UrlReading } from '../address/url.ts';
import { type PostResult, unanswered } from '../call/post.ts';
import type { AccountsPoster } from '../call/start-poster.ts';
import type { AttemptRow } from './attempt-store.ts';
import { signEvent } from './sign.ts';
import { continueTrace } from './trace.ts';

/** As many endpoints as are busy at a time. */
const ENDPOINTS_REMEMBERED_MAX = 1_000;

export interface AttemptsDeps {
  poster: AccountsPoster;
  sealer: Sealer;
  clock: Clock;
  /** Whether test endpoints may use http and loopback. */
  localEndpoints: boolean;
  traces?: Traces | undefined;
}

/** Where an event goes to. */
export interface Destination {
  accountId: string;
  endpointId: string;
  mode: Mode;
  url: string;
  secretSealed: Buffer;
  /** null: there is none that still signs. */
  previousSecretSealed: Buffer | null;
}

/** An event on its way: the same bytes on every try. */
export interface Parcel {
  /** The event's TypeID. */
  eventId: string;
  body: string;
  traceparent: string | null;
}

export type AttemptOutcome = Pick<
  AttemptRow,
  'id' | 'at' | 'outcome' | 'http_status' | 'error' | 'duration_ms' | 'answer'
> & {
  retryAfter: readonly string[];
};

/** Makes single attempts. It never rejects for what the world does. */
export interface Attempts {
  attempt(destination: Destination, parcel: Parcel, signal?: AbortSignal): Promise<AttemptOutcome>;
  close(): Promise<void>;
}

export function createAttempts(deps: AttemptsDeps): Attempts {
  const { poster, sealer, clock, localEndpoints, traces } = deps;
  const open = rememberOpened(sealer, ENDPOINTS_REMEMBERED_MAX);
  const readings = createMemo<UrlReading>(ENDPOINTS_REMEMBERED_MAX);

  const send = (destination: Destination, { eventId, body, traceparent }: Parcel, at: Date, signal?: AbortSignal) => {
    const local = localEndpoints && destination.mode === 'test';
    // Also on every try: a literal address passes no look-up, and the settings may have changed since it was stored.
    const reading = readings(`${local} ${destination.url}`, () => readEndpointUrl(destination.url, local));
    if (reading.kind === 'refused') return Promise.resolve(ADDRESS_REFUSED);
    const sealed = [destination.secretSealed, destination.previousSecretSealed].filter((secret) => secret !== null);
    const secrets = sealed.map((secret) => open(secret, destination.endpointId));
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Waypost',
      ...signEvent(eventId, at, body, secrets),
      ...(traceparent !== null && { traceparent }),
    };
    const { origin, pathname, search } = reading.url;
    return poster.post({ origin, path: pathname + search, headers, body }, local, signal, destination.accountId);
  };

  return {
    async attempt(destination, parcel, signal) {
      const at = new Date(clock.nowMs());
      const begunMs = performance.now();
      const span = beginSpan(traces, destination, parcel);
      const traceparent = span?.traceparent ?? (parcel.traceparent && continueTrace(parcel.traceparent));
      const result = await send(destination, { eventId: parcel.eventId, body: parcel.body, traceparent }, at, signal);
      span?.end(
        { 'waypost.http_status': result.httpStatus ?? 0 },
        succeeded(result) ? undefined : (result.error ?? 'status'),
      );
      return {
        id: newId(),
        at,
        outcome: succeeded(result) ? 'succeeded' : 'failed',
        http_status: result.httpStatus,
        error: result.error,
        duration_ms: Math.round(performance.now() - begunMs),
        answer: result.answer,
        retryAfter: result.retryAfter,
      };
    },
    close: () => poster.close(),
  };
}

function beginSpan(traces: Traces | undefined, { endpointId }: Destination, { eventId, traceparent }: Parcel) {
  if (traces === undefined || traceparent === null) return undefined;
  const facts = { 'waypost.endpoint_id': formatId('end', endpointId), 'waypost.event_id': eventId };
  return traces.begin('deliver', 'client', traceparent, { facts });
}

const ADDRESS_REFUSED = unanswered('address_refused');

function succeeded({ httpStatus, error }: PostResult): boolean {
  return error === null && httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}
