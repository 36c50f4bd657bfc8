-- The queue and priority of each new job of a call by the enabled rules of its set, and the rules that matched.
-- A caller's own queue wins over any rule, and its own priority unless the set overrides it.
-- is_routed: rules chose the queue of every job.
-- Jobs for which the same rules hold share one outcome, which is made once.
-- plan: no nestloop, no mergejoin, no sort
create or replace function holdfast.judge_jobs(
  made boolean[], tasks text[], payloads json[], o record, own record, place record, at timestamptz,
  is_guarded boolean, out queues text[], out priorities integer[], out matched jsonb[], out routes text[],
  out is_routed boolean
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
  kinds          constant text[] := place.ruled_by;
  owners         constant text[] := place.rule_owners;
begin
  with rule_set as materialized (
    -- offset 0: one look into the index per set, whatever the statistics say.
    select b.*, row_number() over () as number
    from (select distinct u.kind, u.owner from unnest(kinds, owners) as u (kind, owner) where u.kind is not null) as s
    cross join lateral (
      select k.* from holdfast.rule_sets as k where k.kind = s.kind and k.owner = s.owner offset 0
    ) as b
  ), rule as materialized (
    select r.*, s.number as of_set, row_number() over (order by r.position, r.name, s.number) as number
    from rule_set as s
    cross join lateral (
      select k.* from holdfast.rules as k where k.kind = s.kind and k.owner = s.owner and k.is_enabled offset 0
    ) as r
  ), ruled as materialized (
    -- All facts of a job cost more than ten conditions, and most conditions look only at the payload.
    select p.place, s.number as of_set, s.base, s.overrides, (
      select case when bool_and(r.reads = 'payload') then 'payload' when bool_or(r.reads = 'all') then 'all' end
      from rule as r where r.of_set = s.number
    ) as reads
    from unnest(kinds, owners) with ordinality as p (kind, owner, place)
    join rule_set as s on s.kind = p.kind and s.owner = p.owner
  ), judged as materialized (
    select
      i, s.of_set, coalesce(given_queues[i], o.queue) is null as may_route,
      case when s.overrides or coalesce(given_points[i], o.priority) is null then
        coalesce(s.base, default_points[i], o.default_priority, usual_points[s.place])
      else -1 end as start,
      array(
        select r.number from rule as r
        where r.of_set = s.of_set
          and case
            when is_guarded then holdfast.condition_holds(f.facts, r.path)
            else jsonb_path_match_tz(f.facts, r.path, '{}', silent => true)
          end
      ) as matches
    from generate_series(1, cardinality(payloads)) as i
    join ruled as s on s.place = case when places is null then 1 else places[i] end
    cross join lateral (
      select case s.reads
        when 'payload' then jsonb_build_object('payload', payloads[i])
        when 'all' then holdfast.job_facts(payloads[i], coalesce(labels_of[i], o.labels), coalesce(tasks[i], tasks[1]),
          place_queues[s.place], coalesce(origins[i], o.origin), at)
        else jsonb_build_object('payload', payloads[i], 'size', octet_length(payloads[i]::text),
          'labels', coalesce(nullif(coalesce(labels_of[i], o.labels), 'null'), '{}'))
      end as facts
      offset 0
    ) as f
    where made[i] is not false
  ), outcome as materialized (
    select d.members, e.*, case when v.rules is not null then jsonb_strip_nulls(jsonb_build_object(
      'of', s.kind || ' ' || s.owner, 'rules', v.rules, 'priority', e.score, 'queue', e.route)) end as words
    from (
      select of_set, may_route, start, matches, array_agg(i) as members
      from judged
      group by of_set, may_route, start, matches
    ) as d
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
    (select array_agg(distinct route) from outcome where route is not null),
    count(u.route) = count(*)
  into queues, priorities, matched, routes, is_routed
  from generate_series(1, cardinality(payloads)) as n
  left join (select m, u.route, u.score, u.words from outcome as u cross join unnest(u.members) as m) as u on u.m = n;
end
$$;
