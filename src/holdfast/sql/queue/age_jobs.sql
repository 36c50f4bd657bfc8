-- any live state -> the same: recomputes the urgency and lead of a queue's jobs after its ageing changed.
-- Otherwise jobs from before the change would all come first, or never.
create or replace function holdfast.age_jobs(of_queue text)
returns void
language sql volatile
as $$
  update holdfast.jobs as j
  set urgency = case when q.ageing is null then j.priority else 0 end,
      lead = make_interval(secs => 60 * j.priority / q.ageing),
      rank_at = j.rank_at + coalesce(j.lead, '0') - coalesce(make_interval(secs => 60 * j.priority / q.ageing), '0')
  from holdfast.queues as q
  where q.name = of_queue
    and j.id = any (array(select l.id from holdfast.jobs as l where l.queue = of_queue order by l.id for update))
$$;
