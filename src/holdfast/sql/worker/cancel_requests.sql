-- Returns the running jobs of a worker that were asked to cancel, with the reason given.
-- The server also sends NOTIFY on the channel holdfast_cancel, with the worker's id. Stop the handler, then call
-- cancel_claimed.
-- plan: no seqscan
create or replace function holdfast.cancel_requests(worker uuid)
returns table (job_id uuid, token uuid, reason text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select j.id, j.token, e.reason
  from holdfast.jobs as j
  left join lateral (
    select v.reason from holdfast.events as v where v.job_id = j.id and v.cause = 'cancel' order by v.id desc limit 1
  ) as e on true
  where j.worker_id = worker
    and j.state = 'running'
    and j.cancel_asked_at is not null
$$;
