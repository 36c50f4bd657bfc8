-- Returns what ended, failed, was called and was enqueued since the beginning. These figures never fall.
-- what: end (of a job or a stage visit), attempt (that went wrong), call or enqueue. Of an attempt name is the error
-- class, of a call the model or tool. The tens count durations by tenths of the decimal logarithm of milliseconds.
create or replace function holdfast.stat_totals()
returns table (
  what text, queue text, task text, pipeline text, stage text, state text, name text, jobs bigint, retried bigint,
  retries bigint, tries bigint, units double precision, cost double precision, wait_seconds double precision,
  run_seconds double precision, wait_tens jsonb, run_tens jsonb
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select
    t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name, t.jobs, t.retried, t.retries, t.tries, t.units,
    t.cost, t.wait_seconds, t.run_seconds, t.wait_tens, t.run_tens
  from holdfast.end_totals as t
  order by t.what, t.queue, t.task, t.pipeline, t.stage, t.state, t.name
$$;
