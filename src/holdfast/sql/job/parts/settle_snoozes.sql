-- running -> scheduled | dead | cancelled: postpones locked jobs.
create or replace function holdfast.settle_snoozes(ids uuid[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  at        constant timestamptz := holdfast.now();
  one       record;
  job       holdfast.jobs;
  later     holdfast.jobs[];
  cancelled holdfast.jobs[];
  dead      holdfast.jobs[];
  reasons   text[];
begin
  for one in select h.job, h.detail from holdfast.read_held(ids, details) as h loop
    job := holdfast.charge_attempt(one.job, holdfast.read_number(one.detail -> 'units'));
    job.deferrals := job.deferrals + 1;
    job.deferred_since := coalesce(job.deferred_since, at);
    job.due_at := at + make_interval(
      secs => least(31536000, greatest(0, coalesce(holdfast.read_number(one.detail -> 'delay'), 0))));
    if job.cancel_asked_at is not null then
      cancelled := cancelled || job;
    elsif job.deferred_since < at and at - job.deferred_since > holdfast.max_wait_of(job.queue) then
      -- A single long delay is accepted; the sum of repeated deferrals is not.
      dead := dead || job;
      reasons := reasons || 'deferred_too_long'::text;
    elsif job.due_at > job.deadline then
      dead := dead || job;
      reasons := reasons || 'deadline_passed'::text;
    else
      later := later || job;
    end if;
  end loop;
  perform holdfast.follow_ends('snooze', later, cancelled, dead, reasons);
end
$$;
