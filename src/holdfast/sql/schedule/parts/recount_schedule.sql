-- active | failing | invalid -> new: the slots of a schedule count from this moment on; a worker computes the next.
create or replace function holdfast.recount_schedule(schedule text, at timestamptz)
returns void
language sql volatile
as $$
  update holdfast.schedules as s
  set state = 'new', counts_from = at, next_slot = null, retry_at = null, problem = null
  where s.name = schedule
$$;
