-- Creates the weekly partitions of history for this week and four ahead; returns how many.
-- If a partition cannot be made now (its table is being read, or another worker is making it), the default partition
-- serves.
create or replace function holdfast.make_partitions()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set lock_timeout = '2s'
-- In UTC a week is always 168 hours.
set timezone = 'UTC'
as $$
declare
  week timestamptz;
  name text;
  made integer := 0;
begin
  for week in
    select w
    from generate_series(
      date_trunc('week', holdfast.now(), 'UTC'), holdfast.now() + interval '4 weeks', interval '1 week') as w
  loop
    name := 'history_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
    continue when to_regclass('holdfast.' || name) is not null;
    begin
      -- Created first, then attached: that locks the default partition only, not history.
      execute format('create table holdfast.%I (like holdfast.history including defaults including constraints)', name);
      execute format('comment on table holdfast.%I is %L', name, 'Jobs that ended in the week from ' || week::date);
      execute format('alter table holdfast.history attach partition holdfast.%I for values from (%L) to (%L)', name,
        week, week + interval '7 days');
      made := made + 1;
    exception
      when check_violation or lock_not_available or duplicate_table or duplicate_object or unique_violation then
        -- Rows of that week are in the default partition, or a reader has locked it: the default partition serves.
        -- Or another worker creates the same table: the error then names the table, its type or a catalog row.
        raise notice 'partition % was not made: %', name, sqlerrm;
    end;
  end loop;
  return made;
end
$$;
