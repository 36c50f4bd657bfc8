-- Counts the jobs in the given states that match a filter, ended ones included.
-- filter: as in list_jobs, without state.
create or replace function holdfast.count_matching_jobs(filter jsonb, states text[])
returns bigint
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  lowest  uuid;
  highest uuid;
  live    bigint := 0;
  ended   bigint := 0;
begin
  filter := holdfast.read_job_filter(filter);
  lowest := coalesce(
    holdfast.id_at(holdfast.now() - holdfast.read_interval(filter -> 'newer_than')),
    '00000000-0000-0000-0000-000000000000');
  highest := coalesce(
    holdfast.id_at(holdfast.now() - holdfast.read_interval(filter -> 'older_than')),
    'ffffffff-ffff-ffff-ffff-ffffffffffff');
  if states && array['waiting', 'scheduled', 'ready', 'running'] then
    select count(*) into live
    from holdfast.jobs as j
    where j.state = any (states)
      and j.id > lowest
      and j.id < highest
      and holdfast.job_matches(
        filter, j.state, j.queue, j.task, j.run_id, j.labels, j.attempt, j.failures,
        j.priority, j.worker_id, j.order_key, j.unique_scope, j.unique_key, j.login_id, j.origin,
        j.claimed_actor);
  end if;
  if states && array['completed', 'rejected', 'cancelled', 'dead'] then
    select count(*) into ended
    from holdfast.history as h
    where h.state = any (states)
      and ('completed' = any (states) or h.state <> 'completed')
      and h.id > lowest
      and h.id < highest
      and holdfast.job_matches(
        filter, h.state, h.queue, h.task, h.run_id, h.labels, h.attempt, h.failures,
        h.priority, h.worker_id, h.order_key, h.unique_scope, h.unique_key, h.login_id, h.origin,
        h.claimed_actor);
  end if;
  return live + ended;
end
$$;
