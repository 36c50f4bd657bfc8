-- Violations of: a job has exactly one end, and a completed one ended well in its last attempt.
create or replace function holdfast.broken_ends(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'live_and_ended', j.id, format('%s in jobs, %s in history', j.state, h.state)
  from (select e.id, e.state from holdfast.history as e order by e.id desc limit max) as h
  cross join lateral (select t.state, t.id from holdfast.jobs as t where t.id = h.id offset 0) as j
  union all
  select 'ended_twice', h.id, format('%s ends: %s', count(*), string_agg(h.state, ', '))
  from (select e.id, e.state from holdfast.history as e order by e.id desc limit max) as h
  group by h.id
  having count(*) > 1
  union all
  select 'completed_by_a_bad_attempt', h.id,
    format('attempt %s completed it, and is recorded as %s', h.attempt, a.outcome)
  from (select e.* from holdfast.history as e order by e.id desc limit max) as h
  cross join lateral (
    select t.outcome
    from holdfast.attempts as t
    where t.job_id = h.id and t.attempt = h.attempt and t.token = h.token
    offset 0
  ) as a
  where h.state = 'completed'
$$;
