-- history, stage_outputs, attempts, calls, jobs -> end_counts, end_totals: counts a span of whole minutes.
-- Counting a span again gives the same: what was counted before is replaced, and its totals get the difference.
-- A busy minute has a million rows, but few groups: one hash table counts them, without a sort, and no row's time is
-- truncated.
-- plan: no seqscan, no sort
create or replace function holdfast.summarise_minutes(since timestamptz, until timestamptz)
returns integer
language plpgsql volatile
as $$
declare
  written integer;
begin
  with counted as materialized (
    select
      m.minute, t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name,
      holdfast.duration_bucket(t.wait) as wait_tenth, holdfast.duration_bucket(t.run) as run_tenth,
      sum(t.jobs) as jobs, coalesce(sum(t.jobs) filter (where t.retries > 0), 0) as retried,
      sum(t.retries) as retries, sum(t.tries) as tries, coalesce(sum(t.units), 0) as units,
      coalesce(sum(t.cost), 0) as cost, coalesce(sum(date_part('epoch', t.wait)), 0) as wait_seconds,
      coalesce(sum(date_part('epoch', t.run)), 0) as run_seconds
    from generate_series(since, until - interval '1 minute', interval '1 minute') as m (minute)
    cross join lateral holdfast.countable(m.minute, m.minute + interval '1 minute') as t
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ), fresh as materialized (
    select
      c.minute, c.what, c.queue, c.task, c.pipeline, c.stage, c.state, c.name,
      sum(c.jobs) as jobs, sum(c.retried) as retried, sum(c.retries) as retries, sum(c.tries) as tries,
      sum(c.units) as units, sum(c.cost) as cost, sum(c.wait_seconds) as wait_seconds,
      sum(c.run_seconds) as run_seconds,
      holdfast.sum_tens(
        array_agg(jsonb_build_object(c.wait_tenth, c.jobs)) filter (where c.wait_tenth is not null)) as wait_tens,
      holdfast.sum_tens(
        array_agg(jsonb_build_object(c.run_tenth, c.jobs)) filter (where c.run_tenth is not null)) as run_tens
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
