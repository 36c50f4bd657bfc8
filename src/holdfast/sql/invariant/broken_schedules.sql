-- Violations of: the last slot of a schedule has the job that was made for it. That a slot has one job is what
-- duplicate_unique_key says, because a slot is a unique key.
create or replace function holdfast.broken_schedules(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
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
