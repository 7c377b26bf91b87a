-- What numbers bring that have much waiting is packed apart, and what all others bring is applied before it. An older version
-- packs all together, and takes packs in the order of their coming.
alter table notification_pack add column busy boolean not null default false;
-- For the claim, which takes these first.
create index notification_pack_quiet on notification_pack (id) where not busy;
