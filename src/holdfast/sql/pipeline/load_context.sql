-- The latest output of each stage that a job has been at, in order of their leaving; a branch sees what the job before it saw.
create or replace function holdfast.load_context(job uuid)
returns table (stage text, output json, visit integer, ended_at timestamptz)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with teller as (
    select coalesce(case when j.pipeline is null and j.stage is not null then j.parent_id end, job) as id
    from (select) as one
    left join holdfast.jobs as j on j.id = job
  ), latest as (
    select distinct on (o.stage) o.stage, o.output, o.generation, o.visit, o.ended_at
    from teller as t
    join holdfast.stage_outputs as o on o.job_id = t.id
    order by o.stage, o.generation desc, o.visit desc
  )
  select l.stage, l.output, l.visit, l.ended_at
  from latest as l
  order by l.generation, l.visit
$$;
comment on function holdfast.load_context(uuid) is 'The latest output of each stage that a job has been at.';
