-- What the provider posts, raw, and what is read from it.

create type notification_state as enum ('waiting', 'applied', 'set_aside');

-- `origin` says whose secret verified it: a notification of the sandbox touches test channels only. `items_left` lists
-- the items (by their place in the body) that still have to be applied; null: all of them.
create table notification (
  id uuid primary key,
  origin mode not null,
  body bytea not null,
  state notification_state not null default 'waiting',
  kinds text[],
  items_left integer[],
  error text,
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  applied_at timestamptz
) partition by range (id);
create index notification_waiting on notification (next_at) where state = 'waiting';
create index notification_set_aside on notification (id) where state = 'set_aside';

-- The history of a message after its outcome, in the order in which we came to know it.
create table timeline (
  account_id uuid not null,
  message_id uuid not null,
  id uuid not null,
  status text not null,
  at timestamptz not null,
  received_at timestamptz not null,
  note text check (note in ('late', 'duplicate')),
  error jsonb,
  primary key (account_id, message_id, id)
) partition by range (message_id);

-- The provider's ids of inbound messages, which must be unique beyond a partition: the provider repeats a notification
-- for up to seven days.
create table inbound_id (
  account_id uuid not null,
  channel_id uuid not null,
  provider_message_id text not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, channel_id, provider_message_id)
);
create index inbound_id_created_at on inbound_id (created_at);

-- When a person last wrote to or called a channel. A person is known by a phone number, a user id, or both: one row each.
create table customer_window (
  account_id uuid not null,
  channel_id uuid not null,
  person text not null,
  last_at timestamptz not null,
  primary key (account_id, channel_id, person)
);

-- Who has stopped marketing messages of a business account, by the person's latest word.
create table marketing_preference (
  account_id uuid not null,
  business_account_id text not null,
  person text not null,
  stopped boolean not null,
  at timestamptz not null,
  primary key (account_id, business_account_id, person)
);

create index channel_business_account_id on channel (business_account_id) where status <> 'removed';

create table notification_default partition of notification default;
create table timeline_default partition of timeline default;
select partitions_make('notification', now(), now() + interval '8 days');
select partitions_make('timeline', now(), now() + interval '8 days');
