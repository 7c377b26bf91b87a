-- When a person last said the opposite of the word that counts: a stop that the provider repeats after the resume that took it
-- back is known by its time, and must not count again.
alter table marketing_preference add column opposite_at timestamptz;
alter table test_marketing_preference add column opposite_at timestamptz;
