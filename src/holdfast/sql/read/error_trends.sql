-- Returns attempts that went wrong in a period, in groups of similar errors, with their number over time.
-- The first row has no sample and counts all of them; then the most frequent errors. trend has the attempts of each
-- slice of the period, oldest first; before counts the attempts of the period before.
-- The period ends at until, or with the current minute. is_partial is true if only the newest 100,000
-- attempts of both periods were looked at.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.error_trends(since interval default '1 day', slices integer default 48,
  max integer default 20, until timestamptz default null)
returns table (
  fingerprint text, class text, error_type text, message text, place text, queues text[], tasks text[], attempts bigint,
  jobs bigint, before bigint, trend bigint[], last_at timestamptz, sample uuid, groups bigint,
  is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span  constant interval := least(greatest(since, '1 minute'), '30 days');
  many  constant integer := least(greatest(slices, 1), 1000);
  ended constant timestamptz := coalesce(until, date_trunc('minute', holdfast.now()) + interval '1 minute');
  step  constant double precision := extract(epoch from span) / many;
begin
  perform holdfast.check_count('max', max);
  return query
    with looked as materialized (
      select
        a.job_id, a.attempt, a.fingerprint, a.queue, a.task, a.ended_at,
        floor(extract(epoch from a.ended_at - (ended - span)) / step)::integer as slice
      from holdfast.attempts as a
      where a.ended_at >= ended - 2 * span and a.ended_at < ended
      order by a.ended_at desc
      limit 100000
    ), grouped as (
      select
        grouping(l.fingerprint) = 1 as is_all, l.fingerprint, count(*) filter (where l.slice >= 0) as attempts,
        count(distinct l.job_id) filter (where l.slice >= 0) as jobs, count(*) filter (where l.slice < 0) as before,
        array_agg(distinct l.queue) as queues, array_agg(distinct l.task) as tasks, max(l.ended_at) as last_at,
        (array_agg(l.job_id order by l.ended_at desc, l.job_id))[1] as job_id,
        (array_agg(l.attempt order by l.ended_at desc, l.job_id))[1] as attempt
      from looked as l
      group by grouping sets ((), (l.fingerprint))
    ), chosen as (
      select g.*, count(*) over () - 1 as groups
      from grouped as g
      where g.is_all or g.attempts > 0
      order by g.is_all desc, g.attempts desc, g.last_at desc
      limit least(max, 1000) + 1
    ), sliced as (
      select grouping(l.fingerprint) = 1 as is_all, l.fingerprint, l.slice, count(*) as attempts
      from looked as l
      where l.slice >= 0
      group by grouping sets ((l.slice), (l.fingerprint, l.slice))
    )
    select
      c.fingerprint, s.class, s.error_type, s.message, s.place,
      case when not c.is_all then c.queues end, case when not c.is_all then c.tasks end, c.attempts, c.jobs, c.before,
      t.trend, c.last_at, case when not c.is_all then c.job_id end, c.groups,
      (select count(*) = 100000 from looked)
    from chosen as c
    left join holdfast.attempts as s on not c.is_all and s.job_id = c.job_id and s.attempt = c.attempt
    cross join lateral (
      select array_agg(coalesce(d.attempts, 0) order by i) as trend
      from generate_series(0, many - 1) as i
      left join sliced as d on d.slice = i and d.is_all = c.is_all and d.fingerprint is not distinct from c.fingerprint
    ) as t
    order by c.is_all desc, c.attempts desc, c.last_at desc;
end
$$;
