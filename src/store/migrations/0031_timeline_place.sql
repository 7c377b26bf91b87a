-- Where a line stands in its timeline. The ids of lines tell the time of the gateway that wrote them, and gateways' clocks
-- differ: of two that share the reports of a message, one may be behind. Numbers of the database follow one another in the order
-- of writing, because whoever writes a line has locked its message. The lines from before have none, and come first.
create sequence timeline_place;
alter table timeline add column place bigint;
alter table timeline alter column place set default nextval('timeline_place');
