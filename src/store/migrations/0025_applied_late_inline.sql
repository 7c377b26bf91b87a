-- As before, and written so that PostgreSQL puts it in the place of its call: every notification is asked this for the index
-- notification_late, and to call a function in SQL took a fifth of what writing one costs. The time of a UUIDv7, its first
-- 48 bits, and half a millisecond, because the milliseconds were rounded before.
create or replace function applied_late(id uuid, applied_at timestamptz) returns boolean language sql immutable as $$
  select applied_at >= to_timestamp(
    (('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint + 86400000.5::double precision) / 1000)
$$;
