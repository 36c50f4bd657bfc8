-- Returns where jobs of a pipeline went when they left its stages, and how many did so, the most frequent first.
-- Looks at the 2,000 stage visits of all pipelines that led to another stage last, within since: is_partial is true if
-- there are more. A job whose next stage is not known any more is left out.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.stage_moves(pipeline text, since interval default '1 hour')
returns table (from_stage text, to_stage text, moves bigint, is_partial boolean)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  began constant timestamptz := holdfast.now() - least(greatest(since, '1 minute'), '30 days');
begin
  return query
    with looked as materialized (
      select s.job_id, s.generation, s.visit, s.stage, s.pipeline, s.ended_at
      from holdfast.stage_outputs as s
      where s.queue is not null
        and s.ended_at >= began
      order by s.ended_at desc
      limit 2000
    ), moved as (
      select l.stage, coalesce(n.stage, j.stage, h.stage) as next
      from looked as l
      left join lateral (
        select o.stage
        from holdfast.stage_outputs as o
        where o.job_id = l.job_id and o.generation = l.generation and o.visit = l.visit + 1
        limit 1
      ) as n on true
      left join lateral (
        select i.stage
        from holdfast.jobs as i
        where i.id = l.job_id and i.generation = l.generation and i.visit = l.visit + 1
      ) as j on n.stage is null
      left join lateral (
        -- Its end is not older than the visit: older partitions are not looked into.
        select e.stage
        from holdfast.history as e
        where e.id = l.job_id and e.ended_at >= l.ended_at and e.generation = l.generation and e.visit = l.visit + 1
        limit 1
      ) as h on n.stage is null and j.stage is null
      where l.pipeline = stage_moves.pipeline
    )
    select m.stage, m.next, count(*), (select count(*) = 2000 from looked)
    from moved as m
    where m.next is not null
    group by m.stage, m.next
    order by 3 desc, 1, 2;
end
$$;
