-- The queue and priority of each new job of a call by the enabled rules of its set, and the rules that matched.
-- A caller's own queue wins over any rule, and its own priority unless the set overrides it.
-- plan: no nestloop, no mergejoin
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
    select
      i, ruled_by[place] as kind, case ruled_by[place] when 'task' then task else place_queues[place] end as owner,
      coalesce(given_queues[i], o.queue) as given_queue, coalesce(given_points[i], o.priority) as given_priority,
      coalesce(default_points[i], o.default_priority, usual_points[place]) as usual_priority,
      holdfast.job_facts(payloads[i], coalesce(labels_of[i], o.labels), task, place_queues[place],
        coalesce(origins[i], o.origin), at) as facts
    from generate_series(1, cardinality(payloads)) as i
    cross join lateral (
      select case when places is null then 1 else places[i] end as place, coalesce(tasks[i], tasks[1]) as task
    ) as p
    where made[i] is not false
      and ruled_by[place] is not null
  ), rule_set as materialized (
    -- offset 0: one look into the index per set, whatever the statistics say.
    select b.*
    from (select distinct kind, owner from job) as s
    cross join lateral (
      select k.* from holdfast.rule_sets as k where k.kind = s.kind and k.owner = s.owner offset 0
    ) as b
  ), rule as materialized (
    select r.* from rule_set as s
    cross join lateral (
      select k.* from holdfast.rules as k where k.kind = s.kind and k.owner = s.owner and k.is_enabled offset 0
    ) as r
  ), verdict as (
    select
      j.i, jsonb_agg(r.name order by r.position, r.name) as rules, sum(r.points)::integer as points,
      (array_agg(r.queue order by r.position, r.name) filter (where r.queue is not null))[1] as queue
    from job as j
    join rule as r on r.kind = j.kind and r.owner = j.owner
    where case
      when is_guarded then holdfast.condition_holds(j.facts, r.path)
      else jsonb_path_match_tz(j.facts, r.path, '{}', silent => true)
    end
    group by j.i
  ), judged as (
    select
      j.i, j.kind || ' ' || j.owner as owner, v.rules, case when j.given_queue is null then v.queue end as route,
      case when s.overrides or j.given_priority is null then
        greatest(0, least(100, coalesce(s.base, j.usual_priority) + coalesce(v.points, 0)))
      end as score
    from job as j
    join rule_set as s on s.kind = j.kind and s.owner = j.owner
    left join verdict as v on v.i = j.i
  )
  select
    array_agg(coalesce(j.route, given_queues[n], o.queue, default_queues[n], o.default_queue) order by n),
    array_agg(coalesce(j.score, given_points[n]) order by n),
    array_agg(case when j.rules is not null then jsonb_strip_nulls(jsonb_build_object(
      'of', j.owner, 'rules', j.rules, 'priority', j.score, 'queue', j.route)) end order by n),
    array_agg(distinct j.route) filter (where j.route is not null)
  into queues, priorities, matched, routes
  from generate_series(1, cardinality(payloads)) as n
  left join judged as j on j.i = n;
end
$$;
