-- What the provider knows of the templates of an account's business accounts.

create table template (
  account_id uuid not null references account (id),
  id uuid not null,
  mode mode not null,
  business_account_id text not null,
  provider_template_id text not null,
  name text not null,
  language text not null,
  status text not null,
  category text not null,
  parameter_format text not null check (parameter_format in ('positional', 'named')),
  components jsonb not null,
  quality text,
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index template_name on template (account_id, mode, business_account_id, name, language);

-- When a business account's templates were last read in full. `started_at` keeps two nodes from reading at once.
create table template_sync (
  account_id uuid not null references account (id),
  mode mode not null,
  business_account_id text not null,
  synced_at timestamptz,
  started_at timestamptz,
  primary key (account_id, mode, business_account_id)
);
