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
  select b.lowest, b.highest into lowest, highest from holdfast.id_bounds(filter) as b;
  if states && array['waiting', 'scheduled', 'ready', 'running'] then
    select count(*) into live
    from holdfast.jobs as j
    where j.state = any (states)
      and j.id > lowest
      and j.id < highest
      and holdfast.job_matches(
        filter, j.state, j.queue, j.task, j.run_id, j.labels, j.attempt, j.failures,
        j.priority, j.worker_id, j.order_key, j.unique_scope, j.unique_key, j.login_id, j.origin,
        j.claimed_actor)
      and coalesce(
        holdfast.own_row_fits(filter, j.payload, j.attempt + j.failures + j.losses + j.deferrals),
        (holdfast.look_closer(filter, j.id, j.payload)).fits);
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
        h.claimed_actor)
      and coalesce(
        holdfast.own_row_fits(filter, h.payload, h.attempt + h.failures + h.losses + h.deferrals),
        (holdfast.look_closer(filter, h.id, h.payload)).fits);
  end if;
  return live + ended;
end
$$;
