-- waiting | scheduled | ready -> cancelled; running jobs are asked to stop.
-- A running job's worker is notified; a handler that has not stopped within the queue's cancel_grace is fenced: its
-- later writes change nothing. result of each job: cancelled, asked, ended, busy (its row is locked, call again) or
-- not_found.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.cancel_jobs(ids uuid[], reason text default null, actor text default null)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  job   holdfast.jobs;
  asked uuid;
begin
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    job_id := asked;
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    if found and job.state = 'running' then
      update holdfast.jobs as j set cancel_asked_at = coalesce(j.cancel_asked_at, holdfast.now()) where j.id = asked;
      perform pg_notify('holdfast_cancel', job.worker_id::text);
      result := 'asked';
    elsif found then
      perform holdfast.end_jobs(array[asked], null, 'cancelled', null,
        array[coalesce(holdfast.sanitise_text(reason), 'cancelled')]);
      result := 'cancelled';
    elsif exists (select from holdfast.jobs as j where j.id = asked) then
      result := 'busy';
    else
      result := case
        when exists (
          select from holdfast.history as h
          where h.id = asked
            and h.ended_at >= coalesce(holdfast.created_at(asked) - interval '1 minute', '-infinity')
        ) then 'ended'
        else 'not_found'
      end;
    end if;
    if result in ('asked', 'cancelled') then
      perform holdfast.record_event('cancel', job.id, job.run_id, job.queue, job.state,
        case result when 'cancelled' then 'cancelled' else job.state end, job.attempt, job.worker_id, actor,
          holdfast.sanitise_text(reason));
    end if;
    return next;
  end loop;
end
$$;
