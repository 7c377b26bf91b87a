-- When an erasure was asked for, by the clock of the database: that of a gateway may be wrong. And how far its walk has come, from the
-- newest row down. A gateway of the version before keeps count of its own way up in `step` and `place`; so each of the two goes its way
-- from end to end, whatever the other has done.
alter table erasure
  add column asked_at timestamptz not null default now(),
  add column down_step integer not null default 0,
  add column down_to uuid;
update erasure set asked_at = to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
