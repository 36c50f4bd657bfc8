-- running -> ready | cancelled: gives locked jobs back unfinished.
create or replace function holdfast.settle_releases(ids uuid[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  at        constant timestamptz := holdfast.now();
  one       record;
  job       holdfast.jobs;
  later     holdfast.jobs[];
  reports   jsonb[];
  cancelled holdfast.jobs[];
begin
  -- Before the first job is put back: lanes are created in one order, against deadlocks.
  perform holdfast.name_suspect_lanes(
    array(select distinct j.lane from holdfast.jobs as j where j.id = any (ids) and j.releases >= 4));
  for one in select h.job, h.detail from holdfast.read_held(ids, details) as h loop
    job := holdfast.charge_attempt(one.job, case
      when one.detail ->> 'units' = 'recorded' then holdfast.recorded_units(one.job)
      else holdfast.read_number(one.detail -> 'units')
    end);
    job.deferrals := job.deferrals + 1;
    job.due_at := at;
    if one.detail -> 'yielded' = 'true' then
      job.releases := 0;
      job.lane := holdfast.plain_lane(job.lane);
    elsif exists (
      select from holdfast.checkpoints as c where c.job_id = job.id and c.attempt = job.attempt) then
      job.releases := 0;
    else
      job.releases := job.releases + 1;
      if job.releases >= 5 then
        job.lane := coalesce(holdfast.suspect_lane(job.lane), job.lane);
      end if;
    end if;
    if job.cancel_asked_at is not null then
      cancelled := cancelled || job;
    else
      later := later || job;
      reports := reports || one.detail;
    end if;
  end loop;
  if later is not null then
    insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, reason)
    select
      at, case when reports[n.ordinality] -> 'yielded' = 'true' then 'yield' else 'release' end,
      n.id, n.run_id, n.queue, 'running', 'ready', n.attempt, n.worker_id,
      left(holdfast.sanitise_text(reports[n.ordinality] ->> 'reason'), 2000)
    from unnest(later) with ordinality as n
    where (select q.detail from holdfast.queues as q where q.name = n.queue) <> 'off';
  end if;
  perform holdfast.follow_ends('release', later, cancelled, null, null);
  perform holdfast.notify_ready(array(select distinct n.queue from unnest(later) as n));
end
$$;
