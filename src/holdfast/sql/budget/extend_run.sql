-- waiting -> ready: gives a run more time, and readies its jobs that waited for that.
-- by counts from the end of its time, or from now if that has passed. Returns how many jobs became ready.
-- plan: no jit
create or replace function holdfast.extend_run(run uuid, by interval, reason text default null, actor text default null)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  b       holdfast.run_budgets;
  readied integer;
begin
  -- Claims skip this lock, so waiting for jobs while holding it cannot deadlock.
  select t.* into b from holdfast.run_budgets as t where t.run_id = run for update;
  if not found and not exists (select from holdfast.runs as r where r.id = run) then
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  elsif b.stops_at is null then
    perform holdfast.refuse('HF005', format('The run %s has no max_time.', run),
      'Give max_time when you start a run. A run without max_time cannot get one later.');
  elsif by is null or by <= '0' or by > interval '1000 years' then
    perform holdfast.refuse('HF002',
      format('The argument "by" must be more than 0 and at most 1000 years (got %s).', coalesce(by::text, 'null')),
      'Pass the additional time, such as 2 hours. If the time of the run is over, the additional time counts from'
        ' now.');
  end if;
  update holdfast.run_budgets as t
  set stops_at = greatest(b.stops_at, holdfast.now()) + by, reached_at = null
  where t.run_id = run;
  readied := holdfast.unpark_run(run, 'extend_run', reason);
  perform holdfast.record_event('extend_run', run => run, actor => actor, reason => reason,
    detail => jsonb_build_object('by', extract(epoch from by), 'jobs', readied));
  return readied;
end
$$;
