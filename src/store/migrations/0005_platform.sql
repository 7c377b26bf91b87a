-- What the platform does with accounts, keys and channels once they exist.

-- From then on the account is nowhere to be seen; its data are erased in the background, and this row last.
alter table account add column deleted_at timestamptz;
create index account_deleted on account (deleted_at) where deleted_at is not null;

-- The platform names keys and channels by their id alone.
create unique index api_key_id on api_key (id);
create unique index channel_id on channel (id);

-- A key is rolled once; from then on it is on its way out.
alter table api_key add column rolled_at timestamptz;

-- When the provider last told its facts of the number. Null: something has changed there, so ask soon.
alter table channel add column facts_read_at timestamptz default now();
create index channel_facts on channel (facts_read_at nulls first) where status = 'connected';

-- People whose traces are to be emptied. The row holds what they are known by only until that is done, and how far the
-- walk through the account's data has come, so that any node can go on with it. `mark` stands for the person in the audit.
create table erasure (
  account_id uuid not null references account (id),
  id uuid not null,
  persons text[] not null check (cardinality(persons) > 0),
  mark text not null,
  due_at timestamptz not null,
  step integer not null default 0,
  place uuid,
  primary key (account_id, id)
);
create index erasure_due on erasure (due_at);
