-- When a node last looked for deliveries. Time in which none did must not count against an endpoint that failed before it: it had no
-- chance to succeed. Versions that do not know it count that time, as they did.
create table delivering (
  only_row boolean primary key default true check (only_row),
  seen_at timestamptz not null default now()
);
insert into delivering default values;
