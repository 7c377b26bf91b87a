import { EXPIRED } from '../../events/store.ts';
import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * A delivery that is on its way already starts over, with all its tries. If it is claimed, a try may be under way or answered by now, and
 * whoever asks for the replay may have seen that try. So the claim ends, and the delivery becomes due at a later time than before,
 * which tells the outcome of the old try apart from those of the new ones. Later by a microsecond at least, because the database's
 * clock may have been set back.
 */
const deliveryReplay = (wanted: string) => `
  with wanted as (${wanted}), enqueued as (
    insert into delivery as d (account_id, endpoint_id, event_id) select $1, $3, id from wanted order by id
    on conflict (account_id, endpoint_id, event_id) do update set attempts = 0, claimed_until = null, next_at =
      case when d.claimed_until is null then least(d.next_at, now())
        else greatest(now(), d.next_at + interval '1 microsecond') end
  )
  select count(*) as events, max(sequence) as last from wanted`;

const DELIVERY_REPLAY_ALL = deliveryReplay(`
    select id, sequence from event
    where account_id = $1 and mode = $2 and sequence > greatest($4::bigint, ${EXPIRED}) and sequence <= $6::bigint
    order by sequence limit $5`);
/** Each type is read by itself, as the feed does; otherwise a rare type would cost a read of the whole log. */
const DELIVERY_REPLAY_TYPES = deliveryReplay(`
    select of_type.id, of_type.sequence from unnest($7::text[]) as wanted(wanted_type)
    cross join lateral (
      select id, sequence from event
      where account_id = $1 and mode = $2 and type = wanted_type and sequence > greatest($4::bigint, ${EXPIRED})
        and sequence <= $6::bigint
      order by sequence limit $5) of_type
    order by of_type.sequence limit $5`);
/** By its id first; otherwise the log would be read for it. */
const DELIVERY_REPLAY_ONE = deliveryReplay(`
    select id, sequence from (select id, mode, type, sequence from event where account_id = $1 and id = $4 limit 1) one
    where mode = $2 and sequence > ${EXPIRED} and ($5::text[] is null or type = any($5))`);

export interface ReplayWish extends Owner {
  endpointId: string;
  /** null: all. */
  types: readonly string[] | null;
  /** One of the two is null. */
  afterSequence: number | null;
  eventId: string | null;
  /** The last number that is wanted; one event is wanted whatever its number. */
  upTo: number;
}

/** Enqueues up to `limit` recorded events again. `last` is the sequence of the last one; null: there was none. */
export async function replayEvents(
  tx: Queryable,
  wish: ReplayWish,
  limit: number,
): Promise<{ events: number; last: number | null }> {
  const [text, ...values] = replayOf(wish, limit);
  const [row] = await tx.query<{ events: number; last: number | null }>(text, values);
  return row ?? { events: 0, last: null };
}

function replayOf({ accountId, mode, types, endpointId, afterSequence, eventId, upTo }: ReplayWish, limit: number) {
  const whose = [accountId, mode, endpointId];
  if (eventId !== null) return [DELIVERY_REPLAY_ONE, ...whose, eventId, types] as const;
  if (types === null) return [DELIVERY_REPLAY_ALL, ...whose, afterSequence, limit, upTo] as const;
  return [DELIVERY_REPLAY_TYPES, ...whose, afterSequence, limit, upTo, [...new Set(types)]] as const;
}
