-- waiting | scheduled | ready -> cancelled at once; running ones are asked, and fenced after their queue's grace.
create or replace function holdfast.cancel_jobs(ids uuid[], reason text default null, actor text default null)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
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
      perform holdfast.end_jobs(array[asked], null, 'cancelled', null, array[coalesce(holdfast.sanitise_text(reason), 'cancelled')]);
      result := 'cancelled';
    elsif exists (select from holdfast.jobs as j where j.id = asked) then
      result := 'busy';
    else
      result := case when exists (select from holdfast.history as h where h.id = asked and h.ended_at >= coalesce(holdfast.created_at(asked) - interval '1 minute', '-infinity'))
        then 'ended' else 'not_found' end;
    end if;
    if result in ('asked', 'cancelled') then
      perform holdfast.record_event('cancel', job.id, job.run_id, job.queue, job.state,
        case result when 'cancelled' then 'cancelled' else job.state end, job.attempt, job.worker_id, actor, holdfast.sanitise_text(reason));
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.cancel_jobs(uuid[], text, text)
  is 'Cancels jobs: each is cancelled, asked (it runs, its worker is told), ended already, busy (its row is locked: ask again) or not_found.';
