-- Customers, what they authenticate with, and the numbers that they send from.

create type mode as enum ('live', 'test');

create table account (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  suspended_at timestamptz,
  created_at timestamptz not null default now()
);

-- Only the hash of a key is kept, so a copy of this table opens nothing.
create table api_key (
  account_id uuid not null references account (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  mode mode not null,
  sha256 bytea not null check (length(sha256) = 32),
  scopes text[],
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
-- The door: the one look-up that cannot name the account, because it finds it.
create unique index api_key_sha256 on api_key (sha256);

create type channel_status as enum ('connected', 'suspended', 'removed');

create table channel (
  account_id uuid not null references account (id),
  id uuid not null,
  mode mode not null,
  phone_number_id text not null check (length(phone_number_id) between 1 and 64),
  business_account_id text not null check (length(business_account_id) between 1 and 64),
  phone_number text not null,
  name text,
  access_token_sealed bytea not null,
  is_default boolean not null default false,
  status channel_status not null default 'connected',
  quality text,
  throughput_per_second integer,
  messaging_limit text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);
-- A phone number id belongs to one channel on the whole platform: notifications are routed by it.
create unique index channel_phone_number_id on channel (phone_number_id) where status <> 'removed';
create unique index channel_default on channel (account_id, mode) where is_default and status <> 'removed';

-- Who changed what, with any key. `account_id` is null for what concerns the platform alone.
create table audit (
  id uuid primary key,
  account_id uuid,
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb,
  at timestamptz not null default now()
);
create index audit_account on audit (account_id, id);

-- A known text under the master key: a start with another key is noticed before anything is sealed with it.
create table master_key_check (
  only_row boolean primary key default true check (only_row),
  sealed bytea not null
);
