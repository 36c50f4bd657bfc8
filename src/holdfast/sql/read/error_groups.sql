-- Returns attempts that went wrong in a period, in groups of similar errors, most frequent first.
-- The first row has no sample and counts all of them, groups included. max (up to 1000) groups follow, after skip (up
-- to 10,000) of them.
-- filter: queue, task, stage, class, outcome, fingerprint, error_type, text (in type, message or place), queues and
-- tasks (lists: any of them). The period is the span since, at most 30 days, and ends at until, or now. trend has the
-- attempts of each of so many slices of it, oldest first; before counts the attempts of the period before. With 0
-- slices there are neither. first_at is the first one of both periods. sample is the job of the newest attempt.
-- Of the newest jobs of each group, at most look and 10,000 of all groups, looked says how many were looked for, and
-- dead and completed how many of these have ended so. is_partial is true if only the newest 100,000 attempts were
-- looked at.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.error_groups(since interval default '1 hour', filter jsonb default '{}',
  max integer default 50, skip integer default 0, slices integer default 30, look integer default 0,
  until timestamptz default null)
returns table (
  fingerprint text, class text, error_type text, message text, place text, outcomes text[], queues text[], tasks text[],
  stages text[], versions text[], attempts bigint, jobs bigint, before bigint, trend bigint[], first_at timestamptz,
  last_at timestamptz, sample uuid, looked bigint, dead bigint, completed bigint, groups bigint, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span  constant interval := least(greatest(since, '1 second'), '30 days');
  many  constant integer := least(greatest(slices, 0), 1000);
  began constant timestamptz := coalesce(until, holdfast.now()) - span;
  early constant timestamptz := began - case when many > 0 then span else '0' end;
  step  constant double precision := extract(epoch from span) / greatest(many, 1);
  each  constant integer := least(greatest(look, 0), 10000 / greatest(max, 1));
begin
  perform holdfast.check_count('max', max);
  perform holdfast.check_count('skip', skip);
  perform holdfast.check_error_filter(filter);
  return query
    with found as materialized (
      select n.*, least(floor(extract(epoch from n.ended_at - began) / step)::integer, greatest(many, 1) - 1) as slice
      from holdfast.newest_attempts(filter, early, until) as n
    ), grouped as (
      select
        grouping(f.key) as is_all, f.key, count(*) filter (where f.slice >= 0) as attempts,
        count(distinct f.job_id) filter (where f.slice >= 0) as jobs, count(*) filter (where f.slice < 0) as before,
        array_agg(f.slice) filter (where f.slice >= 0 and many > 0) as slices, min(f.ended_at) as first_at,
        max(f.ended_at) as last_at
      from found as f
      group by grouping sets ((), (f.key))
    ), chosen as materialized (
      select p.*
      from (
        select g.*, count(*) over () - 1 as groups,
          row_number() over (order by g.is_all desc, g.attempts desc, g.last_at desc, g.key) - 1 as place
        from grouped as g
        where g.is_all = 1 or g.attempts > 0
      ) as p
      where p.is_all = 1 or p.place > least(skip, 10000) and p.place <= least(skip, 10000) + least(max, 1000)
    ), details as (
      select
        c.place, array_agg(distinct f.outcome) as outcomes, (array_agg(distinct f.queue))[:100] as queues,
        (array_agg(distinct f.task))[:100] as tasks, array_remove(array_agg(distinct f.stage), null) as stages,
        array_remove(array_agg(distinct f.version), null) as versions,
        array_agg(f.job_id order by f.ended_at desc, f.job_id) as jobs,
        array_agg(f.attempt order by f.ended_at desc, f.job_id) as tries,
        array_agg(f.ended_at order by f.ended_at desc, f.job_id) as times
      from chosen as c
      join found as f on f.key = c.key and f.slice >= 0
      group by c.place
    )
    select
      nullif(c.key, ''), a.class, a.error_type, a.message, a.place, d.outcomes, d.queues, d.tasks, d.stages, d.versions,
      c.attempts, c.jobs, c.before, holdfast.counts_by_slice(c.slices, many), c.first_at, c.last_at, d.jobs[1],
      e.looked, e.dead, e.completed, c.groups,
      (select count(*) = 100000 from holdfast.newest_attempts('{}', early, until))
    from chosen as c
    left join details as d on d.place = c.place
    left join holdfast.attempts as a on a.job_id = d.jobs[1] and a.attempt = d.tries[1]
    left join lateral holdfast.ends_of_jobs(d.jobs, d.times, each) as e on true
    order by c.place;
end
$$;
