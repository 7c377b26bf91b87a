-- What customers are told: a numbered log for each account and mode, their endpoints, and every attempt to reach them.

-- The last number given. Its row is locked from the numbering to the commit, so numbers have no gaps and stand in the
-- order of the commits, however many nodes write.
create table event_sequence (
  account_id uuid not null,
  mode mode not null,
  last bigint not null,
  primary key (account_id, mode)
);

create table event (
  account_id uuid not null,
  id uuid not null,
  mode mode not null,
  sequence bigint not null,
  type text not null,
  data jsonb not null,
  traceparent text,
  at timestamptz not null,
  primary key (account_id, id)
) partition by range (id);
create index event_sequence_order on event (account_id, mode, sequence);

create table endpoint (
  account_id uuid not null,
  id uuid not null,
  mode mode not null,
  url text not null check (length(url) between 1 and 2000),
  types text[],
  description text,
  enabled boolean not null default true,
  disabled_reason text,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_expires_at timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((previous_secret_sealed is null) = (previous_expires_at is null))
);

-- One event on its way to one endpoint, until it has arrived or is given up. It is written by the transaction that
-- records the event. `claimed_until` is a lease on the database's clock: the deliveries of a dead node are due again.
create table delivery (
  account_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  claimed_until timestamptz,
  primary key (account_id, endpoint_id, event_id)
) with (fillfactor = 80);
-- In the order of the claim: from one endpoint to the next, and for each what is due first.
create index delivery_due on delivery (account_id, endpoint_id, next_at);

create table attempt (
  account_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  number integer not null,
  at timestamptz not null,
  outcome text not null check (outcome in ('succeeded', 'failed')),
  http_status integer,
  error text,
  duration_ms integer not null,
  answer text,
  next_at timestamptz,
  primary key (account_id, id)
) partition by range (id);
create index attempt_endpoint on attempt (account_id, endpoint_id, id);
create index attempt_event on attempt (account_id, event_id);
-- Failures are few, and are what people look for.
create index attempt_failed on attempt (account_id, endpoint_id, id) where outcome = 'failed';

create table event_default partition of event default;
create table attempt_default partition of attempt default;
select partitions_make('event', now(), now() + interval '8 days');
select partitions_make('attempt', now(), now() + interval '8 days');
