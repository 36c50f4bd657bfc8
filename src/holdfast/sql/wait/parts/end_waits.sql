-- waiting -> ready: resumes jobs whose wait has timed out; their handlers see timed_out.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.end_waits(at timestamptz, max integer)
returns integer
language plpgsql volatile
as $$
declare
  job  holdfast.jobs;
  over integer := 0;
begin
  for job in
    select j.* from holdfast.jobs as j
    where j.state = 'waiting'
      and (j.waits_for = 'children' or j.waits_for like 'signal:%')
      and j.due_at <= at
    order by j.due_at
    limit max
    for update skip locked
  loop
    perform holdfast.wake(job, 'wait_over');
    over := over + 1;
  end loop;
  return over;
end
$$;
