-- A page of messages ends where their contents have a size, which is asked of the database before it reads them. Of what is
-- compressed it knows only what it takes, and what repeats itself is compressed to a hundredth. So large contents are stored
-- as they are from now on. Most are small, and nothing small was ever compressed.
alter table request alter column content set storage external;
alter table message alter column content set storage external;
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
      execute format('create table %I (like %I including defaults including constraints including storage)', partition, parent);
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
