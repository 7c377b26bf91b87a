-- No column of the primary key leads this index any more, so that neither can take the place of the other: while the planner
-- believed that nothing waits, as after a vacuum that found nothing, the claim was planned by the primary key, and read and sorted
-- all that waited for an endpoint. An expression is in no index but its own. It is built in a second for each million that waits,
-- during which no event is recorded. The version before claims by the primary key meanwhile, which takes longer.
drop index delivery_due;
create index delivery_due on delivery (uuid_send(endpoint_id), next_at);
