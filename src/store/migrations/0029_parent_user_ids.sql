-- Which user ids a parent user id stands for: at each business of an enterprise the same person has another one. A message may be
-- sent to it, and what is known of the person is kept by the user ids. By mode, since the sandbox may tell anything. With the time
-- at which both were named, as far as erasing the person has to know it.
create table parent_user_id (
  account_id uuid not null,
  mode mode not null,
  parent_user_id text not null,
  user_id text not null,
  told_at timestamptz not null,
  primary key (account_id, parent_user_id, user_id, mode)
);
-- Erasing a person looks for what they are called by.
create index parent_user_id_user on parent_user_id (account_id, user_id);
