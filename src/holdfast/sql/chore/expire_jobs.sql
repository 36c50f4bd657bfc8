-- waiting | scheduled | ready -> dead: jobs whose deadline has passed.
create or replace function holdfast.expire_jobs(max integer)
returns integer
language plpgsql volatile
as $$
declare
  job     holdfast.jobs;
  expired integer := 0;
begin
  for job in
    select j.* from holdfast.jobs as j
    where j.deadline is not null
      and j.deadline < holdfast.now()
      and j.state <> 'running'
    order by j.deadline
    limit max
    for update skip locked
  loop
    -- A parent that was buried a moment ago took its children with it, also those that this loop had fetched.
    continue when not exists (select from holdfast.jobs as j where j.id = job.id);
    perform holdfast.bury(job, 'deadline_passed');
    expired := expired + 1;
  end loop;
  return expired;
end
$$;
comment on function holdfast.expire_jobs(integer) is 'Buries jobs whose deadline has passed; returns how many.';
