-- Messages by their number, as before, but without those that have none. So no look-up by id can be planned to go by it,
-- which happened while a week was new: each read all that the index held of the account.
create index message_known_phone on message (account_id, phone, id) where phone is not null;
drop index message_phone;
