-- When a channel's next message may go, for all nodes. Unlogged: it is written for every send and worth nothing after a
-- crash, and without it in the log a reservation need not wait for the disk.
create unlogged table channel_pace (
  account_id uuid not null,
  channel_id uuid not null,
  next_at timestamptz not null,
  primary key (account_id, channel_id)
) with (fillfactor = 50);
