-- What else the person was called in a word that named them twice: the user id beside the number, and the other way round. So
-- a later word that names them by one of the two counts for both. Null: no word has told it, or the version before wrote it.
alter table marketing_preference add column other text;
-- Erasing a person looks for whom they stand beside.
create index marketing_preference_other on marketing_preference (account_id, other) where other is not null;
