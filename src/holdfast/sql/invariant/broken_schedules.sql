-- Violations of: a slot of a schedule has one job, and the last slot has the job that was made for it.
create or replace function holdfast.broken_schedules(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'slot_of_two_jobs', (array_agg(n.id order by n.id desc))[1],
    format('%s jobs of the slot %s', count(distinct n.id), n.unique_key)
  from holdfast.newest_jobs(max) as n
  where n.unique_scope = 'holdfast.schedule'
  group by n.unique_key
  having count(distinct n.id) > 1
  union all
  select 'slot_of_another_job', s.last_job, format('the schedule %s, slot %s', s.name, holdfast.time_words(s.last_slot))
  from (select k.* from holdfast.schedules as k order by k.name limit max) as s
  cross join lateral (
    select j.unique_scope, j.unique_key from holdfast.jobs as j where j.id = s.last_job
    union all
    select h.unique_scope, h.unique_key
    from holdfast.history as h
    where h.id = s.last_job
      and h.ended_at >= coalesce(holdfast.created_at(s.last_job), '-infinity') - interval '1 minute'
    offset 0
  ) as made
  where (made.unique_scope, made.unique_key)
    is distinct from ('holdfast.schedule', holdfast.slot_key(s.name, s.last_slot))
$$;
