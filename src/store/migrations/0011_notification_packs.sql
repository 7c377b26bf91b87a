-- What was received together, until it is applied: one row for each commit of the intake, however many notifications came
-- during the one before. `ends` are where each body ends in `bodies`. A notification gets its own row when it is applied.
create table notification_pack (
  id uuid primary key,
  received_at timestamptz not null default now(),
  ids uuid[] not null,
  origins mode[] not null,
  ends integer[] not null,
  bodies bytea not null
) with (
  -- Rows live for moments, so what is dead soon outnumbers what lives by far, and every claim would step over it.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000
);
-- Uncompressed, so that it is written quickly and one body can be read without the others.
alter table notification_pack alter column bodies set storage external;
