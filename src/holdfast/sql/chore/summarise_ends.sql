-- history -> end_counts: counts what ended since the last call. One at a time.
create or replace function holdfast.summarise_ends()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  -- An end is visible at its commit, a little after its time: count minutes that are surely complete.
  until   constant timestamptz := date_trunc('minute', holdfast.now() - interval '15 seconds');
  since   timestamptz;
  counted integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('holdfast.summarise_ends', 0)) then
    return 0;
  end if;
  select (c.counts ->> 'until')::timestamptz into since from holdfast.chores as c where c.name = 'summarise_ends';
  since := coalesce(since, until - interval '1 day');
  if since >= until then
    return 0;
  end if;
  insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, tries, wait_tens, run_tens)
  select
    t.minute, t.queue, t.task, t.state,
    sum(t.jobs) filter (where t.kind = 'run'), sum(t.retried) filter (where t.kind = 'run'), sum(t.tries) filter (where t.kind = 'run'),
    coalesce(jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'wait' and t.tenth is not null), '{}'),
    coalesce(jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'run' and t.tenth is not null), '{}')
  from (
    select
      date_trunc('minute', h.ended_at) as minute, h.queue, h.task, h.state, kind.kind, holdfast.tenth(kind.took) as tenth,
      count(*) as jobs, count(*) filter (where h.attempt > 1) as retried, sum(h.attempt) as tries
    from holdfast.history as h
    cross join lateral (values ('wait', h.started_at - h.ready_at), ('run', h.ended_at - h.started_at)) as kind (kind, took)
    where h.ended_at >= since and h.ended_at < until
    group by 1, 2, 3, 4, 5, 6
  ) as t
  group by t.minute, t.queue, t.task, t.state
  on conflict do nothing;
  get diagnostics counted = row_count;
  delete from holdfast.end_counts as c where c.minute < until - interval '7 days';
  insert into holdfast.chores (name, succeeded_at, counts)
  values ('summarise_ends', holdfast.now(), jsonb_build_object('until', until, 'rows', counted))
  on conflict (name) do update set succeeded_at = excluded.succeeded_at, counts = excluded.counts;
  return counted;
end
$$;
comment on function holdfast.summarise_ends() is 'Counts what ended since the last call, minute by minute; returns rows written.';
