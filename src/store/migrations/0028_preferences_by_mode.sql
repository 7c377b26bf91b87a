-- Words on marketing messages are apart by mode: what the sandbox signs touches test channels only. `marketing_preference` is of the
-- live channels from now on. The others get a table of their own, because the version before, which may run beside this one,
-- names the key of `marketing_preference` as it is; what that version is told meanwhile it keeps there for both, as before.
create table test_marketing_preference (
  account_id uuid not null,
  business_account_id text not null,
  person text not null,
  other text,
  stopped boolean not null,
  at timestamptz not null,
  primary key (account_id, business_account_id, person)
);
create index test_marketing_preference_other on test_marketing_preference (account_id, other) where other is not null;

-- Nobody knows which mode a word came for: it counts in those in which the account has, or had, a channel there.
insert into test_marketing_preference (account_id, business_account_id, person, other, stopped, at)
select account_id, business_account_id, person, other, stopped, at from marketing_preference p
where exists (
  select from channel c where c.account_id = p.account_id and c.business_account_id = p.business_account_id and c.mode = 'test');
delete from marketing_preference p
where exists (
  select from test_marketing_preference t
  where t.account_id = p.account_id and t.business_account_id = p.business_account_id and t.person = p.person)
and not exists (
  select from channel c where c.account_id = p.account_id and c.business_account_id = p.business_account_id and c.mode = 'live');
