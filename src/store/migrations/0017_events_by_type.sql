-- The events of one type in their order, so that who asks for a rare type does not read the whole log, however long it is. It is
-- built in some seconds for each million of events, during which none is recorded.
create index event_type_order on event (account_id, mode, type, sequence);
