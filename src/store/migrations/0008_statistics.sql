-- What the charts of an account are drawn from: counts of its messages, kept by minute, hour and day.

-- From the making of the message to the first report that proves its delivery. Written with that report's own change, so
-- that the counting reads one row a message and no history.
alter table message add column to_delivery_ms integer;

create type statistics_step as enum ('minute', 'hour', 'day');

-- One bucket: the messages of an account and mode that were made in that minute, hour or day. `failures` counts the failed
-- ones by their code, `delivery_times` the delivered ones by how long it took, in fixed classes, so that buckets add up.
create table message_statistics (
  account_id uuid not null,
  mode mode not null,
  step statistics_step not null,
  bucket_at timestamptz not null,
  accepted integer not null,
  sent integer not null,
  delivered integer not null,
  read integer not null,
  failed integer not null,
  unknown integer not null,
  received integer not null,
  failures jsonb not null,
  delivery_times integer[] not null,
  computed_at timestamptz not null default now(),
  primary key (account_id, mode, step, bucket_at)
);

-- Minutes in which something has changed, written by the transaction that changed it, and never looked for by it: so it
-- waits for nobody. Emptied every few seconds.
create table message_statistics_mark (
  account_id uuid not null,
  minute_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Buckets that are to be counted again, each once, and when.
create table message_statistics_due (
  account_id uuid not null,
  step statistics_step not null,
  bucket_at timestamptz not null,
  due_at timestamptz not null,
  primary key (account_id, step, bucket_at)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index message_statistics_due_at on message_statistics_due (step, due_at);

-- Until when all messages have been looked through for minutes that nobody has marked: a node that dies takes with it what
-- it had noted of its last seconds. One node at a time looks.
create table message_statistics_sweep (
  only_row boolean primary key default true check (only_row),
  swept_until timestamptz not null
);
insert into message_statistics_sweep (swept_until) values ('1970-01-01T00:00:00Z');
