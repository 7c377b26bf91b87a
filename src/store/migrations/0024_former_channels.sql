-- The channels that a number had before, in any account, for what is repeated of it after it has moved. Few rows, built in a
-- moment. It takes the place of the index by account and number.
create index channel_former on channel (phone_number_id) where status = 'removed';
drop index channel_removed_number;
