-- Returns the ways that jobs of a pipeline took through its stages, by how they ended; the most frequent first, at most
-- max (up to 1000).
-- way has the stages in the order of the visits; took_p50 and took_p95 are times from enqueue to end. Chosen among the
-- 10,000 ended jobs that were enqueued last, of these at most 1,000 that ended within since: is_partial is true if
-- there are more. Branches of a job are left out.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.pipeline_ways(pipeline text, since interval default '1 hour',
  max integer default 20)
returns table (
  way text[], state text, jobs bigint, took_p50 interval, took_p95 interval, units double precision, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  began constant timestamptz := holdfast.now() - least(greatest(since, '1 minute'), '30 days');
begin
  perform holdfast.check_count('max', max);
  return query
    with looked as materialized (
      select h.id, h.pipeline, h.stage, h.state, h.generation, h.parent_id, h.ended_at, h.units
      from holdfast.history as h
      order by h.id desc
      limit 10000
    ), chosen as materialized (
      select l.*
      from looked as l
      where l.pipeline = pipeline_ways.pipeline and l.parent_id is null and l.ended_at >= began
      limit 1000
    ), walked as (
      select
        array(
          select s.stage
          from holdfast.stage_outputs as s
          where s.job_id = c.id and s.generation = c.generation and s.queue is not null
          order by s.visit
        ) || c.stage as way,
        c.state, c.ended_at - holdfast.created_at(c.id) as took, c.units
      from chosen as c
    )
    select
      w.way, w.state, count(*), percentile_disc(0.5) within group (order by w.took),
      percentile_disc(0.95) within group (order by w.took), avg(w.units),
      (select count(*) = 10000 from looked) or (select count(*) = 1000 from chosen)
    from walked as w
    group by w.way, w.state
    order by 3 desc, 1, 2
    limit least(max, 1000);
end
$$;
