-- Sends: a request is the durable intent, a message is written once with its outcome.

create type direction as enum ('outbound', 'inbound');
create type message_status as enum (
  'pending', 'transmitting', 'accepted', 'sent', 'delivered', 'read', 'failed', 'unknown', 'received'
);

-- A running gateway. Its lease stands on the database's clock, so that a node with a wrong clock does no harm.
create table node (
  id uuid primary key,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

-- While a request runs, `intent` holds its messages packed: one row instead of fifty before the first byte is sent.
-- `refused` holds the entries that never became a message, by their place in the answer.
create table request (
  account_id uuid not null,
  id uuid not null,
  mode mode not null,
  channel_id uuid not null,
  key_id uuid not null,
  node_id uuid not null,
  type text not null check (type in ('text', 'template')),
  client_reference text,
  content jsonb,
  refused jsonb,
  message_ids uuid[] not null,
  intent jsonb,
  traceparent text,
  idempotency_key text,
  completed_at timestamptz,
  primary key (account_id, id),
  check ((intent is null) = (completed_at is not null))
) partition by range (id);
-- Small, because only what runs is in it: recovery and reads of messages under way use it.
create index request_running on request (account_id, id) where completed_at is null;

create table message (
  account_id uuid not null,
  id uuid not null,
  request_id uuid,
  channel_id uuid not null,
  mode mode not null,
  direction direction not null,
  type text not null,
  phone text,
  user_id text,
  status message_status not null,
  provider_message_id text,
  client_reference text,
  own_reference boolean not null default false,
  held boolean not null default false,
  content jsonb,
  error jsonb,
  pricing jsonb,
  reply_to_id uuid,
  reply_to_provider_message_id text,
  outcome message_status,
  outcome_at timestamptz,
  outcome_error jsonb,
  updated_at timestamptz not null,
  primary key (account_id, id),
  check ((direction = 'inbound') = (status = 'received')),
  check ((direction = 'outbound') = (request_id is not null)),
  check ((status in ('failed', 'unknown')) = (error is not null))
) partition by range (id);
create index message_phone on message (account_id, phone, id);
create index message_client_reference on message (account_id, client_reference, id) where client_reference is not null;
create index message_provider_message_id on message (account_id, provider_message_id)
  where provider_message_id is not null;

-- Idempotency keys stand apart from the partitioned requests, because a key must be unique beyond a partition.
-- `answer` is null while the first request runs.
create table idempotency (
  account_id uuid not null,
  mode mode not null,
  key text not null check (length(key) between 1 and 255),
  request_id uuid not null,
  body_sha256 bytea not null check (length(body_sha256) = 32),
  answer text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, mode, key)
);
create index idempotency_expires_at on idempotency (expires_at);

-- The smallest UUID of a time: the bound of a partition by UUIDv7.
create function uuid_bound(at timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Makes the weekly partitions of a table that cover `since` to `until`, and is harmless to repeat. A partition is made
-- apart and then attached, because that lets readers and writers of the parent go on meanwhile.
create function partitions_make(parent text, since timestamptz, until timestamptz) returns integer
language plpgsql as $$
declare
  week timestamptz := date_trunc('week', since at time zone 'UTC') at time zone 'UTC';
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('waypost partitions'), hashtext(parent));
  while week <= until loop
    partition := format('%s_%s', parent, to_char(week at time zone 'UTC', 'IYYY"w"IW'));
    if to_regclass(quote_ident(partition)) is null then
      execute format('create table %I (like %I including defaults including constraints)', partition, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, uuid_bound(week), uuid_bound(week + interval '168 hours'));
      made := made + 1;
    end if;
    week := week + interval '168 hours';
  end loop;
  return made;
end $$;

-- What falls outside every week (a wrong clock) still has a place.
create table request_default partition of request default;
create table message_default partition of message default;
select partitions_make('request', now(), now() + interval '8 days');
select partitions_make('message', now(), now() + interval '8 days');
