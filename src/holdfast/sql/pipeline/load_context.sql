-- Returns the latest output of each stage that a job has left, in order.
-- A branch sees the outputs of the job that fanned out.
create or replace function holdfast.load_context(job uuid)
returns table (stage text, output json, visit integer, ended_at timestamptz)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with latest as (
    select distinct on (o.stage) o.stage, o.output, o.generation, o.visit, o.ended_at
    from holdfast.stage_outputs as o
    where o.job_id = (select holdfast.stage_owner(job))
    order by o.stage, o.generation desc, o.visit desc
  )
  select l.stage, l.output, l.visit, l.ended_at
  from latest as l
  order by l.generation, l.visit
$$;
