-- history -> end_counts: counts what ended since the last call, for two seconds at most. One at a time.
create or replace function holdfast.summarise_ends()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  started constant timestamptz := clock_timestamp();
  until   constant timestamptz := date_trunc('minute', holdfast.now());
  since   timestamptz;
  step    timestamptz;
  written integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('holdfast.summarise_ends', 0)) then
    return 0;
  end if;
  select (c.counts ->> 'until')::timestamptz into since from holdfast.chores as c where c.name = 'summarise_ends';
  since := greatest(coalesce(since, until - interval '1 day'), until - interval '7 days');
  -- An end is visible at its commit, which may be later than its time: two minutes are counted once more.
  since := least(since, until) - interval '2 minutes';
  loop
    step := least(until, since + interval '10 minutes');
    written := written + holdfast.summarise_minutes(since, step);
    since := step;
    exit when since >= until or clock_timestamp() - started > interval '2 seconds';
  end loop;
  delete from holdfast.end_counts as c where c.minute < until - interval '7 days';
  insert into holdfast.chores as c (name, succeeded_at, counts)
  values ('summarise_ends', holdfast.now(), jsonb_build_object('until', since, 'rows', written))
  on conflict (name) do update set succeeded_at = excluded.succeeded_at, counts = excluded.counts;
  return written;
end
$$;
comment on function holdfast.summarise_ends() is 'Counts what ended since the last call, minute by minute; returns rows written.';
