-- Returns how failed attempts were recorded, and what follows for their jobs; no row for others.
-- ids and attempts are parallel arrays. The texts are redacted.
-- state: scheduled (retry_at says when), dead (reason says why) or cancelled.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.attempt_results(ids uuid[], attempts integer[])
returns table (
  job_id uuid, attempt integer, outcome text, class text, error_type text, message text, traceback text, state text,
  reason text, retry_at timestamptz
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select
    a.job_id, a.attempt, a.outcome, a.class, a.error_type, a.message,
    case when d.job_id is not null then a.traceback end,
    case when a.retry_at is not null then 'scheduled' when d.job_id is not null then 'dead' else 'cancelled' end,
    d.reason, a.retry_at
  from unnest(ids, attempts) as asked (id, attempt)
  join holdfast.attempts as a on a.job_id = asked.id and a.attempt = asked.attempt
  left join holdfast.dead_letters as d on d.job_id = a.job_id and a.retry_at is null and d.died_at >= a.ended_at
$$;
