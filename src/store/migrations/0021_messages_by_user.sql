-- Messages by the provider's own id of a person, as by the number: a list of one person's read all messages of the account.
-- A message whose person has none, or is not told by it, has no entry. It is built in about a second for each million of
-- messages, during which none is written.
create index message_user on message (account_id, user_id, id) where user_id is not null;
