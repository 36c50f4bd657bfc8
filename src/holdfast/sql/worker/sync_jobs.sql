-- running -> running | ready: compares the jobs that a worker says it runs with those that it holds.
-- Returns the jobs to stop: why is cancel (an operator asked for it, with the reason) or lost (its token is void). A
-- job that the worker holds and does not name is released 30 seconds after its claim, whose answer was lost then.
-- Without jobs (null), only cancel requests are returned.
-- plan: no seqscan
create or replace function holdfast.sync_jobs(worker uuid, jobs uuid[] default null)
returns table (job_id uuid, why text, reason text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  unknown uuid[];
  tokens  uuid[];
begin
  return query select c.job_id, 'cancel', c.reason from holdfast.cancel_requests(worker) as c;
  if jobs is null then
    return;
  end if;
  return query
    select u.id, 'lost', null::text
    from unnest(jobs) as u (id)
    where not exists (
      select from holdfast.jobs as j where j.id = u.id and j.worker_id = worker and j.state = 'running');
  select array_agg(h.job_id order by h.job_id), array_agg(h.token order by h.job_id) into unknown, tokens
  from holdfast.held_jobs(worker) as h
  join holdfast.jobs as j on j.id = h.job_id
  where h.job_id <> all (jobs)
    and j.started_at < holdfast.now() - interval '30 seconds';
  if unknown is not null then
    perform holdfast.release_jobs(unknown, tokens, array_fill(
      jsonb_build_object('units', 'recorded', 'reason', 'the answer to its claim was lost'),
      array[cardinality(unknown)]));
  end if;
end
$$;
