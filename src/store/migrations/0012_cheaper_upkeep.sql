-- What the database does beside our statements costs less.

-- A delivery is written twice, when it is recorded and when it is claimed. With room for both on its page the second
-- writing touches no index.
alter table delivery set (fillfactor = 45);

-- Statistics of a tenth of the usual sample, for the weekly partitions: our statements go by keys, and have one plan each
-- whatever the tables hold. A young week is looked at anew with every tenth that it has grown, and to sort 30,000 bodies
-- and JSON values each time took a core for a third of a second a table.
create function partition_statistics(partition text) returns void language plpgsql as $$
begin
  execute format('alter table %I %s', partition, (
    select string_agg(format('alter column %I set statistics 10', attname), ', ')
    from pg_attribute where attrelid = partition::regclass and attnum > 0 and not attisdropped));
end $$;

select partition_statistics(c.relname)
from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent in ('request'::regclass, 'message'::regclass, 'timeline'::regclass, 'notification'::regclass,
  'event'::regclass, 'attempt'::regclass) and c.relkind = 'r';

-- As before, with these statistics for each new week.
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
      perform partition_statistics(partition);
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
