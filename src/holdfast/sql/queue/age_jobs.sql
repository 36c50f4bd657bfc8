-- any live state -> the same: gives the jobs of a queue the urgency and lead that its ageing now means.
-- Without it jobs from before the change would all come first, or never.
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
comment on function holdfast.age_jobs(text) is 'Gives the jobs of a queue the urgency and lead that its ageing now means.';
