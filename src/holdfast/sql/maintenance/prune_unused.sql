-- Deletes lanes, queues and endpoints that were never declared and not used for 30 days.
-- Nothing goes that holds jobs, is paused, or is named by a policy, a stage or a worker. Removes the traces of a
-- misspelt name. Returns counts, at most max of each.
-- plan: no seqscan
create or replace function holdfast.prune_unused(max integer default 1000)
returns table (lanes integer, queues integer, endpoints integer)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  lanes := holdfast.remove_lanes(max);
  queues := holdfast.remove_queues(max);
  endpoints := holdfast.remove_endpoints(max);
  return next;
end
$$;
