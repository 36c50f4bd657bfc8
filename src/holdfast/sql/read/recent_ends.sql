-- Returns jobs that ended lately, newest end first, at most max (up to 1000); queues limits them.
-- Looks at the 10,000 ended jobs that were enqueued last; without queues at 1000 of them.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.recent_ends(max integer default 20, queues text[] default null)
returns table (
  job_id uuid, queue text, task text, stage text, state text, attempt integer, reason text, ran interval,
  ended_at timestamptz
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  return query
    with looked as materialized (
      select h.id, h.queue, h.task, h.stage, h.state, h.attempt, h.reason, h.started_at, h.ended_at
      from holdfast.history as h
      order by h.id desc
      limit case when queues is null then 1000 else 10000 end
    )
    select l.id, l.queue, l.task, l.stage, l.state, l.attempt, l.reason, l.ended_at - l.started_at, l.ended_at
    from looked as l
    where coalesce(l.queue = any (queues), queues is null)
    order by l.ended_at desc, l.id desc
    limit least(max, 1000);
end
$$;
