-- waiting -> ready: a person gives a run more time, and its jobs that waited for that go on.
create or replace function holdfast.extend_run(run uuid, by interval, reason text default null, actor text default null)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
as $$
declare
  b       holdfast.run_budgets;
  readied integer;
begin
  -- Claims only try this lock, so whoever has it may wait for jobs.
  select t.* into b from holdfast.run_budgets as t where t.run_id = run for update;
  if not found and not exists (select from holdfast.runs as r where r.id = run) then
    perform holdfast.refuse('HF004', format('There is no run %s.', run), 'Look at holdfast.run_view for the runs there are.');
  elsif b.stops_at is null then
    perform holdfast.refuse('HF005', format('The run %s may take as long as it likes.', run), 'A max_time is given when a run is started.');
  elsif by is null or by <= '0' or by > interval '1000 years' then
    perform holdfast.refuse('HF002', 'A run can only be given more time.', 'Say how much more, such as 2 hours; it counts from now if its time is over.');
  end if;
  update holdfast.run_budgets as t set stops_at = greatest(b.stops_at, holdfast.now()) + by, reached_at = null where t.run_id = run;
  readied := holdfast.unpark_run(run, 'extend_run', reason);
  perform holdfast.record_event('extend_run', run => run, actor => actor, reason => reason,
    detail => jsonb_build_object('by', extract(epoch from by), 'jobs', readied));
  return readied;
end
$$;
comment on function holdfast.extend_run(uuid, interval, text, text) is 'Gives a run more time, and lets its jobs that waited for that go on; returns how many.';
