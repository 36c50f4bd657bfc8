-- Returns what a page about one job shows besides its row of job_view; no row if it is unknown or was pruned.
-- retry and max_failures are those that apply to it: its own, else its task's, else its queue's. replaces is the dead
-- job that it was enqueued for, child_runs are the runs of its children, the newest ten. attempts, outputs,
-- checkpoints and log_lines count what is kept of it, each up to a thousand rows.
create or replace function holdfast.job_details(job uuid)
returns table (
  pipeline text, pipeline_version integer, visit integer, rules jsonb, trace jsonb, retry jsonb, max_failures integer,
  replaces uuid, child_runs uuid[], attempts integer, outputs integer, checkpoints integer, log_lines integer
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with found as (
    select j.queue, j.task, j.pipeline, j.pipeline_version, j.visit, j.rules, j.trace, j.retry, j.max_failures
    from holdfast.jobs as j
    where j.id = job
    union all
    select h.queue, h.task, h.pipeline, h.pipeline_version, h.visit, h.rules, h.trace, h.retry, h.max_failures
    from holdfast.history as h
    where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute'
  )
  select
    f.pipeline, f.pipeline_version, f.visit, f.rules, f.trace,
    coalesce(
      f.retry,
      (select t.retry from holdfast.tasks as t where t.name = f.task),
      (select q.retry from holdfast.queues as q where q.name = f.queue),
      holdfast.retry_policy('"default"')),
    holdfast.max_failures_of(jsonb_populate_record(null::holdfast.jobs, jsonb_build_object(
      'queue', f.queue, 'task', f.task, 'retry', f.retry, 'max_failures', f.max_failures))),
    (select d.job_id from holdfast.dead_letters as d where d.replaced_by = job limit 1),
    array(select r.id from holdfast.runs as r where r.parent_id = job order by r.id desc limit 10),
    (select count(*) from (select from holdfast.attempts as a where a.job_id = job limit 1000) as n)::integer,
    (select count(*) from (select from holdfast.stage_outputs as s where s.job_id = job limit 1000) as n)::integer,
    (select count(*) from (select from holdfast.checkpoints as c where c.job_id = job limit 1000) as n)::integer,
    (select coalesce(sum(n.lines), 0)
     from (
       select cardinality(l.times) as lines from holdfast.attempt_logs as l where l.job_id = job limit 1000) as n
    )::integer
  from found as f
$$;
