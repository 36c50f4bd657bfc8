-- The job whose stage outputs a job sees: for a branch the job that fanned out, else the job itself.
create or replace function holdfast.stage_owner(job uuid)
returns uuid
language sql stable
as $$
  select coalesce(
    (select j.parent_id from holdfast.jobs as j where j.id = job and j.pipeline is null and j.stage is not null),
    job
  )
$$;
