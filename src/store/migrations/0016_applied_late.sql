-- What was applied late is known by its times, and no more by how often it was tried: a pack's first try may come after days
-- in which no gateway ran. Such a row must outlive its week, and is found by this index when the week is dropped. The day is that
-- of APPLIED_WITHIN_MS. Written so that it is immutable: a time less an interval is not, because of time zones.
create function applied_late(id uuid, applied_at timestamptz) returns boolean language sql immutable as $$
  select id < (lpad(to_hex(((extract(epoch from applied_at) - 86400) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;
create index notification_late on notification (id) where state = 'applied' and applied_late(id, applied_at);
-- The index notification_applied_late stays until a later release, for the versions that look by it.
