-- What the provider has told of channels and templates and was applied, so that the same told again has no second effect.
-- It belongs to the provider's business accounts and not to one of ours: only what identifies it is kept, as a hash.
create table applied_news (
  sha256 bytea primary key,
  applied_at timestamptz not null default now()
);
create index applied_news_applied_at on applied_news (applied_at);
