-- Makes the oldest minutes that are over their time into rows of whole hours, one hour a call; false if there is none.
create or replace function holdfast.fold_hour(before timestamptz)
returns boolean
language plpgsql volatile
as $$
declare
  hour constant timestamptz := (
    select date_trunc('hour', c.minute, 'UTC') from holdfast.end_counts as c
    where not c.is_hour
    order by c.minute
    limit 1
  );
begin
  if hour is null or hour + interval '1 hour' > before then
    return false;
  end if;
  with taken as (
    delete from holdfast.end_counts as c
    where not c.is_hour and c.minute < hour + interval '1 hour'
    returning c.*
  )
  insert into holdfast.end_counts as e (
    is_hour, minute, what, queue, task, pipeline, stage, state, name, jobs, retried, retries, tries, units, cost,
    wait_seconds, run_seconds, wait_tens, run_tens
  )
  select
    true, hour, t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name, sum(t.jobs), sum(t.retried),
    sum(t.retries), sum(t.tries), sum(t.units), sum(t.cost), sum(t.wait_seconds), sum(t.run_seconds),
    holdfast.sum_tens(array_agg(t.wait_tens)), holdfast.sum_tens(array_agg(t.run_tens))
  from taken as t
  group by t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name
  -- Minutes that were counted again after their hour was made: only if the setting was changed in between.
  on conflict on constraint end_counts_pkey do update
    set jobs = e.jobs + excluded.jobs,
        retried = e.retried + excluded.retried,
        retries = e.retries + excluded.retries,
        tries = e.tries + excluded.tries,
        units = e.units + excluded.units,
        cost = e.cost + excluded.cost,
        wait_seconds = e.wait_seconds + excluded.wait_seconds,
        run_seconds = e.run_seconds + excluded.run_seconds,
        wait_tens = holdfast.sum_tens(array[e.wait_tens, excluded.wait_tens]),
        run_tens = holdfast.sum_tens(array[e.run_tens, excluded.run_tens]);
  return true;
end
$$;
