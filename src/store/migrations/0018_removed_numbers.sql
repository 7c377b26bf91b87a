-- The channels that a number had in an account before, for what still comes of their messages. Few rows, built in a moment.
create index channel_removed_number on channel (account_id, phone_number_id) where status = 'removed';
