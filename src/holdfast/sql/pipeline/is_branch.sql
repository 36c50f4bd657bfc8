-- Whether a job is a branch: one of several stages that another fanned out to.
create or replace function holdfast.is_branch(job holdfast.jobs)
returns boolean
language sql stable
as $$
  select job.stage is not null
    and job.pipeline is null
    and exists (select from holdfast.runs as r where r.id = job.run_id and r.parent_id = job.parent_id)
$$;
comment on function holdfast.is_branch(holdfast.jobs) is 'Whether a job is one of the stages that another fanned out to.';
