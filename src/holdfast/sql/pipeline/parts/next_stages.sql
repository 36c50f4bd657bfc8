-- The stages that follow for locked jobs, all in one statement: entries, or last for those at their last stage.
-- Odd are those that a look of their own must judge: in no pipeline, asked to cancel, with more in their detail than a
-- stage and units, perhaps entered too often, or with a task or a budget that has lanes of its own.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.next_stages(
  ids uuid[], details jsonb[],
  out entries holdfast.stage_entry[], out last uuid[], out odd uuid[], out odd_details jsonb[]
)
language plpgsql stable
as $$
#variable_conflict use_column
begin
  -- Hash joins with the call's own arrays and the stages at hand keep the cost linear when statistics are stale.
  with held as materialized (
    select
      j.id, j.pipeline, j.pipeline_version as version, j.stage, j.visit, j.priority, j.run_id, e.detail,
      j.cancel_asked_at is null
        and j.reserved is null
        and case jsonb_typeof(e.detail)
          when 'object' then e.detail - 'stage' - 'units' = '{}'
          else e.detail is null
        end as is_straight
    from holdfast.jobs as j
    join rows from (unnest(ids), unnest(details)) as e (end_id, detail) on e.end_id = j.id
    where j.id = any (ids)
  ), route as materialized (
    select s.*, coalesce(s.timeout, t.timeout, q.timeout) as may_run, t.has_lanes
    from holdfast.stages as s
    left join lateral (select o.timeout from holdfast.queues as o where o.name = s.queue offset 0) as q on true
    left join lateral (
      select o.timeout, o.has_lanes from holdfast.tasks as o where o.name = s.task offset 0
    ) as t on true
    where s.pipeline = any (array(select distinct h.pipeline from held as h))
      and s.version = any (array(select distinct h.version from held as h))
  ), target as (
    select
      h.id, h.detail,
      h.is_straight and h.detail ->> 'stage' is null and c.stage is not null and c.next is null as is_last,
      case when n.stage is not null then row(
        h.id, h.visit + 1, n.stage, n.task, n.queue, n.lane, n.may_run, h.priority, null,
        holdfast.read_number(h.detail -> 'units')
      )::holdfast.stage_entry end as entry,
      n.stage is not null as goes_on
    from held as h
    left join route as c on c.pipeline = h.pipeline and c.version = h.version and c.stage = h.stage
    left join route as n
      on n.pipeline = h.pipeline
      and n.version = h.version
      and n.stage = coalesce(h.detail ->> 'stage', c.next)
      and h.is_straight
      -- A job with that many visits may have entered the stage too often.
      and h.visit < n.max_visits
      and n.has_lanes is not true
  )
  select
    array_agg(t.entry) filter (where t.goes_on),
    array_agg(t.id) filter (where t.is_last),
    array_agg(t.id) filter (where not t.goes_on and not t.is_last),
    array_agg(case when jsonb_typeof(t.detail) = 'object' then t.detail else '{}' end)
      filter (where not t.goes_on and not t.is_last)
  into entries, last, odd, odd_details
  from target as t;
end
$$;
