-- A table without a key cannot be deleted from while a publication has it, and one `for all tables` has every table: then the rounds of
-- the statistics failed, and ended the gateways. The log gets the whole row of each delete, only where it is logical.
alter table message_statistics_mark replica identity full;
