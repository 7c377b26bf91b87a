-- Versions before migration 42 did not note that they looked for deliveries. So days in which nothing ran before the first start with
-- it counted against an endpoint. The last look of the statistics stands for that note, and was at most 16 minutes before the end:
-- it is made every 15 minutes, and asked for once a minute. Where a gateway has noted since migration 42, what it noted stays.
update delivering set seen_at = least(seen_at, swept_until + interval '16 minutes')
from message_statistics_sweep, migration
where number = 42 and seen_at <= applied_at and swept_until > '1970-01-01Z';
