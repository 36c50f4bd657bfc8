-- (nothing): removes lanes, queues and endpoints that nobody declared and nothing has used for thirty days, such as those of a typing error.
-- It waits for nobody. What was enqueued at the same moment is found by restore_lane.
create or replace function holdfast.prune_unused(max integer default 1000)
returns table (lanes integer, queues integer, endpoints integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
begin
  perform holdfast.check_count('max', max);
  lanes := holdfast.remove_lanes(max);
  queues := holdfast.remove_queues(max);
  endpoints := holdfast.remove_endpoints(max);
  return next;
end
$$;
comment on function holdfast.prune_unused(integer)
  is 'Removes lanes, queues and endpoints that nobody declared, paused or named in a policy, that hold no jobs and were unused for thirty days; looks at max of each, returns counts.';
