-- history, stage_outputs, attempts, calls, jobs -> end_counts, end_totals: counts a span of whole minutes.
-- Counting a span again gives the same: what was counted before is replaced, and its totals get the difference.
-- plan: no seqscan
create or replace function holdfast.summarise_minutes(since timestamptz, until timestamptz)
returns integer
language plpgsql volatile
as $$
declare
  written integer;
begin
  with counted as (
    select
      date_trunc('minute', t.at) as minute, t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name, kind.kind,
      holdfast.duration_bucket(kind.took) as tenth, count(*) as jobs, count(*) filter (where t.retries > 0) as retried,
      sum(t.retries) as retries, sum(t.tries) as tries, coalesce(sum(t.units), 0) as units,
      coalesce(sum(t.cost), 0) as cost, coalesce(sum(date_part('epoch', kind.took)), 0) as seconds
    from holdfast.countable(since, until) as t
    cross join lateral (values ('wait', t.wait), ('run', t.run)) as kind (kind, took)
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ), fresh as materialized (
    select
      c.minute, c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name,
      sum(c.jobs) filter (where c.kind = 'run') as jobs, sum(c.retried) filter (where c.kind = 'run') as retried,
      sum(c.retries) filter (where c.kind = 'run') as retries, sum(c.tries) filter (where c.kind = 'run') as tries,
      sum(c.units) filter (where c.kind = 'run') as units, sum(c.cost) filter (where c.kind = 'run') as cost,
      sum(c.seconds) filter (where c.kind = 'wait') as wait_seconds,
      sum(c.seconds) filter (where c.kind = 'run') as run_seconds,
      coalesce(jsonb_object_agg(c.tenth, c.jobs) filter (where c.kind = 'wait' and c.tenth is not null), '{}')
        as wait_tens,
      coalesce(jsonb_object_agg(c.tenth, c.jobs) filter (where c.kind = 'run' and c.tenth is not null), '{}')
        as run_tens
    from counted as c
    group by 1, 2, 3, 4, 5, 6, 7, 8
  ), stored as materialized (
    select c.* from holdfast.end_counts as c where not c.is_hour and c.minute >= since and c.minute < until
  ), changed as materialized (
    select f.*, s.jobs as old_jobs, s.retried as old_retried, s.retries as old_retries, s.tries as old_tries,
      s.units as old_units, s.cost as old_cost, s.wait_seconds as old_wait_seconds, s.run_seconds as old_run_seconds,
      s.wait_tens as old_wait_tens, s.run_tens as old_run_tens
    from fresh as f
    left join stored as s using (minute, what, queue, task, pipeline, stage, state, name)
    -- Rows only come to a minute, except that a value of a label may give its place to a more frequent one.
    where s.jobs is null or s.jobs < f.jobs or f.what = 'label' and s.jobs <> f.jobs
  ), outranked as (
    delete from holdfast.end_counts as c
    using stored as s
    left join fresh as f using (minute, what, queue, task, pipeline, stage, state, name)
    where c.is_hour = s.is_hour
      and (c.minute, c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name)
        = (s.minute, s.what, s.queue, s.task, s.pipeline, s.stage, s.state, s.name)
      and s.what = 'label'
      and f.jobs is null
  ), totalled as (
    insert into holdfast.end_totals as t (
      what, queue, task, pipeline, stage, state, name, jobs, retried, retries, tries, units, cost, wait_seconds,
      run_seconds, wait_tens, run_tens
    )
    select
      c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name, sum(c.jobs - coalesce(c.old_jobs, 0)),
      sum(c.retried - coalesce(c.old_retried, 0)), sum(c.retries - coalesce(c.old_retries, 0)),
      sum(c.tries - coalesce(c.old_tries, 0)), sum(c.units - coalesce(c.old_units, 0)),
      sum(c.cost - coalesce(c.old_cost, 0)), sum(c.wait_seconds - coalesce(c.old_wait_seconds, 0)),
      sum(c.run_seconds - coalesce(c.old_run_seconds, 0)),
      holdfast.sum_tens(array_agg(c.wait_tens), array_agg(c.old_wait_tens)),
      holdfast.sum_tens(array_agg(c.run_tens), array_agg(c.old_run_tens))
    from changed as c
    where c.what <> 'label'
    group by 1, 2, 3, 4, 5, 6, 7
    on conflict on constraint end_totals_pkey do update
      set jobs = t.jobs + excluded.jobs,
          retried = t.retried + excluded.retried,
          retries = t.retries + excluded.retries,
          tries = t.tries + excluded.tries,
          units = t.units + excluded.units,
          cost = t.cost + excluded.cost,
          wait_seconds = t.wait_seconds + excluded.wait_seconds,
          run_seconds = t.run_seconds + excluded.run_seconds,
          wait_tens = holdfast.sum_tens(array[t.wait_tens, excluded.wait_tens]),
          run_tens = holdfast.sum_tens(array[t.run_tens, excluded.run_tens])
  )
  insert into holdfast.end_counts as e (
    minute, what, queue, task, pipeline, stage, state, name, jobs, retried, retries, tries, units, cost, wait_seconds,
    run_seconds, wait_tens, run_tens
  )
  select
    c.minute, c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name, c.jobs, c.retried, c.retries, c.tries,
    c.units, c.cost, c.wait_seconds, c.run_seconds, c.wait_tens, c.run_tens
  from changed as c
  on conflict on constraint end_counts_pkey do update
    set jobs = excluded.jobs,
        retried = excluded.retried,
        retries = excluded.retries,
        tries = excluded.tries,
        units = excluded.units,
        cost = excluded.cost,
        wait_seconds = excluded.wait_seconds,
        run_seconds = excluded.run_seconds,
        wait_tens = excluded.wait_tens,
        run_tens = excluded.run_tens;
  get diagnostics written = row_count;
  return written;
end
$$;
