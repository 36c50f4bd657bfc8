-- waiting -> ready | scheduled | completed | dead: resumes the parent of children that are done.
-- False if its row is locked: try again.
create or replace function holdfast.resume_parent(run holdfast.runs)
returns boolean
language plpgsql volatile
as $$
declare
  job    holdfast.jobs;
  waited holdfast.waits;
begin
  -- Skips a locked row against deadlocks: a worker that is about to park the parent locks this run next.
  select j.* into job from holdfast.jobs as j where j.id = run.parent_id for update skip locked;
  if not found then
    return not exists (select from holdfast.jobs as j where j.id = run.parent_id);
  elsif job.state <> 'waiting' or job.waits_for <> 'children' then
    return true;
  end if;
  select w.* into waited
  from holdfast.waits as w
  where w.job_id = job.id and w.generation = job.generation and w.visit = job.visit and w.run_id = run.id;
  if waited.name = 'stages' then
    perform holdfast.fan_in(job, run);
  elsif waited.name is not null then
    perform holdfast.wake(job, 'children');
  end if;
  return true;
end
$$;
