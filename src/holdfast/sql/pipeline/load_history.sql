-- Returns what happened to a job so far, in order: outputs of its stages, failed attempts, and rejections.
create or replace function holdfast.load_history(job uuid)
returns table (
  at timestamptz, what text, stage text, visit integer, generation integer, attempt integer, output json, class text,
  error_type text, message text
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with entry as (
    select o.ended_at as at, 'output' as what, o.stage, o.visit, o.generation, o.attempt, o.output,
      null::text as class, null::text as error_type, null::text as message
    from holdfast.stage_outputs as o
    where o.job_id = (select holdfast.stage_owner(job))
    union all
    select a.ended_at, case when a.error_type = 'Rejected' then 'rejected' else a.outcome end, a.stage, a.visit,
      a.generation, a.attempt, null, a.class, a.error_type, a.message
    from holdfast.attempts as a
    where a.job_id = any (array[job, (select holdfast.stage_owner(job))])
    union all
    select e.at, 'rejected', null, null, null, e.attempt, null, null, null, e.reason
    from holdfast.events as e
    where e.job_id = job and e.cause = 'end' and e.to_state = 'rejected'
  )
  select t.at, t.what, t.stage, t.visit, t.generation, t.attempt, t.output, t.class, t.error_type, t.message
  from entry as t
  order by t.at, t.attempt, t.what
$$;
