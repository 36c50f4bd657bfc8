-- Returns the stages of its pipeline that a live job may go to, in order: those not entered max_visits times yet.
create or replace function holdfast.open_stages(job uuid)
returns setof text
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select s.stage
  from holdfast.jobs as j
  join holdfast.stages as s on s.pipeline = j.pipeline and s.version = j.pipeline_version
  where j.id = job
    and s.max_visits > (j.stage = s.stage)::integer + (
      select count(*)
      from holdfast.stage_outputs as o
      where o.job_id = j.id and o.generation = j.generation and o.stage = s.stage
    )
  order by s.place
$$;
