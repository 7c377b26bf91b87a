-- A message is written again with each of its reports, mostly three times. No column of an index changes by that, so its new
-- row needs no new entries in them if it fits into the page of the old one; and what is dead there makes room for the
-- next. In full pages most reports wrote all indexes of their message and left a dead row for the vacuum. With 40 % free nearly
-- all find room, and a week with reports takes no more space than before.
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
      if parent = 'message' then execute format('alter table %I set (fillfactor = 60)', partition); end if;
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
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'message'::regclass loop
    execute format('alter table %s set (fillfactor = 60)', partition);
  end loop;
end $$;
