-- What is due is found by when it was due, and no more is read than is due: with ten thousand accounts each look read all
-- business accounts and channels twice. The version before reads them all meanwhile, as it did.
create index template_sync_due on template_sync ((coalesce(
  greatest(synced_at at time zone 'UTC' + interval '1 hour', started_at at time zone 'UTC' + interval '10 minutes'), '-infinity')));

-- A test channel is read once, and then only after a notification has asked for it. It is in the index for as long as that.
drop index channel_facts;
create index channel_facts on channel ((coalesce(facts_read_at, '-infinity')))
  where status = 'connected' and (mode = 'live' or facts_read_at is null);
