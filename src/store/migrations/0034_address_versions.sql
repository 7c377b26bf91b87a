-- Counts how often an endpoint got another URL or was turned on or off: what an attempt tells holds for the endpoint as long as
-- this is the same. `version` counts every change, a new description too, by which a 410 or a success that ends five days of
-- failures was lost. A gateway of the version before changes it without counting.
alter table endpoint add column address_version integer not null default 0;
