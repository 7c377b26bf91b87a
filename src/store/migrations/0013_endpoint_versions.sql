-- Counts the changes that a customer makes to an endpoint, so that what was found out about it before one is not held against
-- it afterwards, and nothing goes on to what it was before. A gateway of the version before changes it without counting.
alter table endpoint add column version integer not null default 0;
