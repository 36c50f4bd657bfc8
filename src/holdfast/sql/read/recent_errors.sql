-- Returns failed attempts of a time span in groups of similar errors, most frequent first.
-- filter: queue, task, class, outcome, fingerprint, error_type. sample is a job to look at. is_partial is true if only
-- the newest 100,000 attempts of the span were looked at.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.recent_errors(since interval default '1 hour', filter jsonb default '{}',
  max integer default 50)
returns table (
  fingerprint text, class text, error_type text, message text, place text, outcomes text[], queues text[], tasks text[],
  attempts bigint, jobs bigint, first_at timestamptz, last_at timestamptz, sample uuid, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_filter(filter, array['queue', 'task', 'class', 'outcome', 'fingerprint', 'error_type']);
  return query
    with newest as materialized (
      select a.job_id, a.attempt, a.fingerprint, a.class, a.outcome, a.queue, a.task, a.error_type, a.ended_at
      from holdfast.attempts as a
      where a.ended_at >= holdfast.now() - since
      order by a.ended_at desc
      limit 100000
    ), grouped as (
      select
        n.fingerprint,
        array_agg(distinct n.outcome) as outcomes, array_agg(distinct n.queue) as queues,
        array_agg(distinct n.task) as tasks,
        count(*) as attempts, count(distinct n.job_id) as jobs, min(n.ended_at) as first_at, max(n.ended_at) as last_at,
        (array_agg(n.job_id order by n.ended_at desc, n.job_id))[1] as job_id,
        (array_agg(n.attempt order by n.ended_at desc, n.job_id))[1] as attempt
      from newest as n
      where (not filter ? 'queue' or n.queue = filter ->> 'queue')
        and (not filter ? 'task' or n.task = filter ->> 'task')
        and (not filter ? 'class' or n.class = filter ->> 'class')
        and (not filter ? 'outcome' or n.outcome = filter ->> 'outcome')
        and (not filter ? 'fingerprint' or n.fingerprint = filter ->> 'fingerprint')
        and (not filter ? 'error_type' or n.error_type = filter ->> 'error_type')
      group by n.fingerprint
      order by count(*) desc, max(n.ended_at) desc
      limit least(max, 1000)
    )
    select
      g.fingerprint, s.class, s.error_type, s.message, s.place, g.outcomes, g.queues, g.tasks,
      g.attempts, g.jobs, g.first_at, g.last_at, g.job_id, (select count(*) = 100000 from newest)
    from grouped as g
    join holdfast.attempts as s on s.job_id = g.job_id and s.attempt = g.attempt
    order by g.attempts desc, g.last_at desc;
end
$$;
