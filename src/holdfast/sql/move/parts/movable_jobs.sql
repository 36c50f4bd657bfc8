-- The next jobs of a queue that a move may take: ready ones in the order of claims, scheduled ones by age.
-- Suspects stay, so that they endanger no other workers; so do jobs of pipelines, whose stage names the queue. Looks at
-- the first 10,000 jobs of each lane.
-- plan: no seqscan, no bitmapscan, no hashjoin, no mergejoin, no sort
create or replace function holdfast.movable_jobs(of_queue text, of_state text, n integer, condition jsonpath)
returns uuid[]
language plpgsql stable
as $$
begin
  if of_state = 'scheduled' then
    return array(
      select c.id
      from holdfast.lanes as l
      cross join lateral (
        select f.id
        from (
          select j.id, j.pipeline
          from holdfast.jobs as j
          where j.lane = l.lane and j.state = 'scheduled'
          order by j.id
          limit 10000
        ) as f
        where f.pipeline is null
        limit n
      ) as c
      where l.queue = of_queue and not l.is_suspect
      order by c.id
      limit n);
  end if;
  return array(
    select c.id
    from holdfast.lanes as l
    cross join lateral (
      select f.id, f.urgency, f.rank_at
      from (
        select j.id, j.urgency, j.rank_at, j.pipeline, j.payload
        from holdfast.jobs as j
        where j.lane = l.lane and j.state = 'ready'
        order by j.urgency desc, j.rank_at, j.id
        limit 10000
      ) as f
      where f.pipeline is null
        and (condition is null or holdfast.condition_holds(
          coalesce(f.payload, (select p.payload from holdfast.payloads as p where p.job_id = f.id))::jsonb, condition))
      limit n
    ) as c
    where l.queue = of_queue and not l.is_suspect
    order by c.urgency desc, c.rank_at, c.id
    limit n);
end
$$;
