-- The queue and priority of each new job of a call by the enabled rules of its set, and the rules that matched.
-- A caller's own queue wins over any rule, and its own priority unless the set overrides it.
-- Jobs for which the same rules hold share one outcome, which is made once.
-- plan: no nestloop, no mergejoin, no sort
create or replace function holdfast.judge_jobs(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  is_guarded boolean, out queues text[], out priorities integer[], out matched jsonb[], out routes text[]
)
language plpgsql stable
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  given_queues   constant text[] := own.queue;
  given_points   constant integer[] := own.priority;
  default_queues constant text[] := own.default_queue;
  default_points constant integer[] := own.default_priority;
  labels_of      constant jsonb[] := own.labels;
  origins        constant text[] := own.origin;
  places         constant integer[] := place.places;
  place_queues   constant text[] := place.queues;
  usual_points   constant integer[] := place.priorities;
  ruled_by       constant text[] := place.ruled_by;
begin
  with job as materialized (
    select i, place, task, ruled_by[place] as kind,
      case ruled_by[place] when 'task' then task else place_queues[place] end as owner
    from generate_series(1, cardinality(payloads)) as i
    cross join lateral (
      select case when places is null then 1 else places[i] end as place, coalesce(tasks[i], tasks[1]) as task
    ) as p
    where made[i] is not false
      and ruled_by[place] is not null
  ), rule_set as materialized (
    -- offset 0: one look into the index per set, whatever the statistics say.
    select b.*, row_number() over () as number
    from (select distinct kind, owner from job) as s
    cross join lateral (
      select k.* from holdfast.rule_sets as k where k.kind = s.kind and k.owner = s.owner offset 0
    ) as b
  ), rule as materialized (
    select r.*, s.number as of_set, row_number() over (order by r.position, r.name, s.number) as number
    from rule_set as s
    cross join lateral (
      select k.* from holdfast.rules as k where k.kind = s.kind and k.owner = s.owner and k.is_enabled offset 0
    ) as r
  ), needed as materialized (
    -- Most conditions look at these facts only, and all facts of a job cost more than ten conditions.
    select s.*, exists (
      select from rule as r
      where r.of_set = s.number and r.path::text ~ $re$\$(?!\."(payload|labels|size)")$re$
    ) as needs_all
    from rule_set as s
  ), judged as materialized (
    select
      j.i, s.number as of_set, coalesce(given_queues[j.i], o.queue) is null as may_route,
      case when s.overrides or coalesce(given_points[j.i], o.priority) is null then
        coalesce(s.base, default_points[j.i], o.default_priority, usual_points[j.place])
      else -1 end as start,
      array(
        select r.number from rule as r
        where r.of_set = s.number
          and case
            when is_guarded then holdfast.condition_holds(f.facts, r.path)
            else jsonb_path_match_tz(f.facts, r.path, '{}', silent => true)
          end
      ) as matches
    from job as j
    join needed as s on s.kind = j.kind and s.owner = j.owner
    cross join lateral (
      select case when s.needs_all then
        holdfast.job_facts(payloads[j.i], coalesce(labels_of[j.i], o.labels), j.task, place_queues[j.place],
          coalesce(origins[j.i], o.origin), at)
      else
        jsonb_build_object(
          'payload', payloads[j.i], 'size', octet_length(payloads[j.i]::text),
          'labels', coalesce(nullif(coalesce(labels_of[j.i], o.labels), 'null'), '{}'))
      end as facts
      offset 0
    ) as f
  ), outcome as materialized (
    select d.*, e.*, case when v.rules is not null then jsonb_strip_nulls(jsonb_build_object(
      'of', s.kind || ' ' || s.owner, 'rules', v.rules, 'priority', e.score, 'queue', e.route)) end as words
    from (select distinct of_set, may_route, start, matches from judged) as d
    join rule_set as s on s.number = d.of_set
    cross join lateral (
      select
        jsonb_agg(r.name order by r.number) as rules, coalesce(sum(r.points), 0)::integer as points,
        (array_agg(r.queue order by r.number) filter (where r.queue is not null))[1] as queue
      from rule as r where r.number = any (d.matches)
    ) as v
    cross join lateral (
      select case when d.may_route then v.queue end as route,
        case when d.start >= 0 then greatest(0, least(100, d.start + v.points)) end as score
    ) as e
  )
  select
    array_agg(coalesce(u.route, given_queues[n], o.queue, default_queues[n], o.default_queue) order by n),
    array_agg(coalesce(u.score, given_points[n]) order by n),
    array_agg(u.words order by n),
    array_agg(distinct u.route) filter (where u.route is not null)
  into queues, priorities, matched, routes
  from generate_series(1, cardinality(payloads)) as n
  left join judged as j on j.i = n
  left join outcome as u using (of_set, may_route, start, matches);
end
$$;
