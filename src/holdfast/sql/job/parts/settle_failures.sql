-- running -> scheduled | dead | cancelled: records the failed attempts of locked jobs and does what follows.
create or replace function holdfast.settle_failures(ids uuid[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  at    constant timestamptz := holdfast.now();
  tried record;
begin
  -- Each is judged by itself; what follows is written for all at once.
  with held as materialized (
    select h.job, h.detail from holdfast.read_held(ids, details) as h
  ), settings as materialized (
    select kind.task, kind.queue, s.retry, s.most
    from (select distinct (h.job).task, (h.job).queue from held as h) as kind
    cross join lateral holdfast.failure_settings(kind.task, kind.queue) as s
  )
  select
    array_agg(f.job) as jobs, array_agg(f.outcome) as outcomes, array_agg(f.class) as classes,
    array_agg(f.is_counted) as counted, array_agg(h.detail) as details,
    array_agg(f.job) filter (where f.verdict is null) as later,
    array_agg(f.job) filter (where f.verdict = 'cancelled') as cancelled,
    array_agg(f.job) filter (where f.verdict <> 'cancelled') as dead,
    array_agg(f.verdict) filter (where f.verdict <> 'cancelled') as reasons
  into tried
  from held as h
  join settings as s on s.task = (h.job).task and s.queue = (h.job).queue
  cross join lateral holdfast.judge_failure(h.job, h.detail, at, s.retry, s.most) as f;
  perform holdfast.record_attempts(tried.jobs, tried.outcomes, tried.classes, tried.counted, tried.details);
  perform holdfast.follow_ends('fail', tried.later, tried.cancelled, tried.dead, tried.reasons);
end
$$;
