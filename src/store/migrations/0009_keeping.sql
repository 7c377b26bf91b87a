-- What is past its time goes away by itself.

-- Events up to this number have expired, in each log: what is left of them is read no more, so that a reader never meets
-- a gap. Versions that do not know it go on showing them until their partition is dropped.
alter table event_sequence add column expired bigint not null default 0;

-- What was applied late, and so must outlive its week: the few rows that are moved when a week is dropped.
create index notification_applied_late on notification (id) where state = 'applied' and attempts > 1;

-- What there is to do, when next, and how far it has come. Whoever locks a row is the one who does it; it outlives a
-- crash. `place` and `block` mean what the task makes of them; nothing that identifies a person may stand there.
create table keeping (
  task text primary key,
  due_at timestamptz not null default now(),
  place text,
  block bigint not null default 0
);
insert into keeping (task) values
  ('events'), ('partitions'), ('request contents'), ('message contents'), ('notifications'), ('strays'), ('deliveries'),
  ('windows');

-- As before, and what stands in the default partition already (a clock that was wrong made it) moves into its week: a
-- week could not be attached else, and no start would get past that.
create or replace function partitions_make(parent text, since timestamptz, until timestamptz) returns integer
language plpgsql as $$
declare
  week timestamptz := date_trunc('week', since at time zone 'UTC') at time zone 'UTC';
  partition text;
  key text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('waypost partitions'), hashtext(parent));
  select a.attname into key from pg_partitioned_table p
  join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0] where p.partrelid = to_regclass(parent);
  while week <= until loop
    partition := format('%s_%s', parent, to_char(week at time zone 'UTC', 'IYYY"w"IW'));
    if to_regclass(quote_ident(partition)) is null then
      execute format('create table %I (like %I including defaults including constraints)', partition, parent);
      execute format('with strays as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from strays',
        parent || '_default', key, uuid_bound(week), key, uuid_bound(week + interval '168 hours'), partition);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, uuid_bound(week), uuid_bound(week + interval '168 hours'));
      made := made + 1;
    end if;
    week := week + interval '168 hours';
  end loop;
  return made;
end $$;
