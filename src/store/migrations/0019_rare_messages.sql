-- The messages that most are not: inbound, failed or unknown, or still without an outcome. So the lists of these find them
-- without reading all messages of the account. A message that is accepted has no entry, and no column named here changes
-- with `sent`, `delivered` and `read`: so sends and reports write what they wrote before. The status itself is not named,
-- because a change of a column that an index names, even in its condition, makes the row's entries in all indexes anew.
-- `is true` keeps the index from statements that ask for one of the three by the way, and go by ids. It is built in about a
-- second for each million of messages, during which none is written.
create index message_rare on message (account_id, mode, (
  case
    when direction = 'inbound' then 'received'
    when error is null then 'under_way'
    when error ->> 'code' = 'outcome_unknown' then 'unknown'
    else 'failed'
  end), id)
  where (direction = 'inbound' or error is not null or outcome is null) is true;
