-- The outcome of the enabled rules of its set for each new job of a call. Jobs for which the same rules hold share one
-- outcome, which is made once. outcomes: its number per job. routes, scores and words: per outcome, null where the
-- rules say nothing about queue or priority, or none matched.
-- A caller's own queue wins over any rule, and its own priority unless the set overrides it.
-- plan: no nestloop, no mergejoin, no sort
create or replace function holdfast.judge_jobs(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  is_guarded boolean, out outcomes integer[], out routes text[], out scores integer[], out words jsonb[]
)
language plpgsql stable
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  given_queues   constant text[] := own.queue;
  given_points   constant integer[] := own.priority;
  default_points constant integer[] := own.default_priority;
  labels_of      constant jsonb[] := own.labels;
  origins        constant text[] := own.origin;
  places         constant integer[] := place.places;
  place_queues   constant text[] := place.queues;
  usual_points   constant integer[] := place.priorities;
  kinds          constant text[] := place.ruled_by;
  owners         constant text[] := place.rule_owners;
  -- Parsed once, not once per condition.
  parsed         constant jsonb[] := payloads::jsonb[];
begin
  with rule_set as materialized (
    -- offset 0: one look into each index per set, whatever the statistics say.
    select row_number() over () as number, b.*, r.*
    from (select distinct u.kind, u.owner from unnest(kinds, owners) as u (kind, owner) where u.kind is not null) as s
    cross join lateral (
      select k.* from holdfast.rule_sets as k where k.kind = s.kind and k.owner = s.owner offset 0
    ) as b
    cross join lateral (
      select
        bool_or(reads = 'all') as is_all, bool_or(reads in ('all', 'size')) as has_size,
        bool_or(reads <> 'payload') as has_facts, array_agg(path) as paths, array_agg(payload_path) as payload_paths,
        array_agg(name) as names, array_agg(points) as points, array_agg(queue) as queues
      from (
        select k.* from holdfast.rules as k
        where k.kind = s.kind and k.owner = s.owner and k.is_enabled
        order by k.position, k.name
      ) as k
    ) as r
  ), test as materialized (
    -- Narrow, because every job reads all of it.
    select s.number as of_set, t.number::integer, t.path
    from rule_set as s
    cross join lateral unnest(case when s.is_all then s.paths else s.payload_paths end)
      with ordinality as t (path, number)
  ), ruled as materialized (
    -- The facts of a job cost more than ten conditions, so those that the jobs share are made once.
    select
      p.place, s.number as of_set, s.base, s.overrides, s.is_all,
      s.has_size or s.has_facts and (cardinality(tasks) > 1 or not (labels_of, origins) is null) as has_own_facts,
      case when s.has_facts then
        holdfast.job_facts(null, o.labels, tasks[1], place_queues[p.place], o.origin, at)
      else '{}' end as facts
    from unnest(kinds, owners) with ordinality as p (kind, owner, place)
    join rule_set as s on s.kind = p.kind and s.owner = p.owner
  ), judged as materialized (
    select
      i, s.of_set, coalesce(given_queues[i], o.queue) is null as may_route,
      case when s.overrides or coalesce(given_points[i], o.priority) is null then
        coalesce(s.base, default_points[i], o.default_priority, usual_points[s.place])
      end as start,
      -- Chosen once per job, not once per condition.
      case when is_guarded
        then array(
          select t.number from test as t
          where t.of_set = s.of_set and holdfast.condition_holds(f.root, t.path, f.facts))
        else array(
          select t.number from test as t
          where t.of_set = s.of_set and jsonb_path_match_tz(f.root, t.path, f.facts, silent => true))
      end as matches
    from generate_series(1, cardinality(payloads)) as i
    left join ruled as s on s.place = case when places is null then 1 else places[i] end and made[i] is not false
    cross join lateral (
      select v.facts, case when s.is_all then v.facts else parsed[i] end as root
      from (
        select case when s.has_own_facts then
          s.facts || holdfast.own_facts(payloads[i], coalesce(labels_of[i], o.labels), coalesce(tasks[i], tasks[1]),
            coalesce(origins[i], o.origin))
        else s.facts end as facts
      ) as v
      offset 0
    ) as f
  ), outcome as materialized (
    select
      row_number() over () as number, d.members, e.*,
      case when v.rules is not null then jsonb_strip_nulls(jsonb_build_object(
        'of', s.kind || ' ' || s.owner, 'rules', v.rules, 'priority', e.score, 'queue', e.route)) end as words
    from (
      select of_set, may_route, start, matches, array_agg(i) as members
      from judged
      group by of_set, may_route, start, matches
    ) as d
    left join rule_set as s on s.number = d.of_set
    cross join lateral (
      select
        jsonb_agg(s.names[m] order by m) as rules, coalesce(sum(s.points[m]), 0)::integer as points,
        (array_agg(s.queues[m] order by m) filter (where s.queues[m] is not null))[1] as queue
      from unnest(d.matches) as m
    ) as v
    cross join lateral (
      select case when d.may_route then v.queue end as route,
        case when d.start is not null then greatest(0, least(100, d.start + v.points)) end as score
    ) as e
  )
  select
    array(select u.number::integer from outcome as u cross join unnest(u.members) as m (i) order by m.i),
    array_agg(route order by number), array_agg(score order by number), array_agg(u.words order by number)
  into outcomes, routes, scores, words
  from outcome as u;
end
$$;
