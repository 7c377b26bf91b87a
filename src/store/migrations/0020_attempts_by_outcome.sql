-- The attempts at an endpoint of each outcome in their order, so that the few that succeeded, or that failed, are found without
-- reading all others. One index instead of two; a list of both outcomes reads a page of each. It is built in two to three seconds
-- for each million of attempts, during which none is recorded. The version before lists attempts by other indexes meanwhile,
-- which takes longer.
create index attempt_outcome on attempt (account_id, endpoint_id, outcome, id);
drop index attempt_endpoint;
drop index attempt_failed;
