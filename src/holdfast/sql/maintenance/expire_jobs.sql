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
    -- A parent that died in this loop has cancelled its children, which the loop may have fetched already.
    continue when not exists (select from holdfast.jobs as j where j.id = job.id);
    perform holdfast.dead_letter_jobs(array[job], array['deadline_passed']);
    expired := expired + 1;
  end loop;
  return expired;
end
$$;
