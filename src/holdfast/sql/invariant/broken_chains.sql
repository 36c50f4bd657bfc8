-- Violations of: in a queue whose audit trail is full, each event continues the one before, and the first starts it.
create or replace function holdfast.broken_chains(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with event as materialized (
    select
      e.*, q.full_since + interval '1 minute' as whole_since, lag(e.at) over line as last_at,
      lag(e.queue) over line as last_queue, lag(e.attempt) over line as last_attempt,
      lag(e.from_state) over line as last_from, lag(e.to_state) over line as last_state
    from (select t.* from holdfast.events as t order by t.id desc limit max) as e
    left join holdfast.queues as q on q.name = e.queue
    where e.job_id is not null
      and e.to_state is not null
    window line as (partition by e.job_id order by e.id)
  ), odd as materialized (
    select t.*,
      -- A job that has left its queue may have been in one whose trail is not full.
      exists (
        select from (
          select j.visit, j.pipeline from holdfast.jobs as j where j.id = t.job_id
          union all
          select h.visit, h.pipeline from holdfast.history as h where h.id = t.job_id
        ) as now
        where now.visit = 1 and now.pipeline is null
        offset 0
      ) as has_stayed
    from event as t
    where t.from_state is distinct from t.last_state
      and t.whole_since is not null
  )
  select 'trail_with_a_gap', t.job_id,
    format('%s: from %s, and it was %s', t.cause, coalesce(t.from_state, 'nothing'), t.last_state)
  from odd as t
  where t.last_at > t.whole_since
    -- In another queue it has had an attempt.
    and (t.has_stayed or t.queue = t.last_queue and t.attempt = t.last_attempt + (t.cause = 'claim')::integer)
    -- An operator's action is recorded twice: by the verb, and by the change that follows.
    and not (
      t.cause in (
        'cancel', 'reclaim', 'complete_as_operator', 'fail_as_operator', 'signal', 'replace',
        'take_back', 'complete_by_hand', 'fail_by_hand' -- events from before 0.1.0
      )
      and t.from_state is not distinct from t.last_from
      and t.to_state = t.last_state
    )
  union all
  select 'trail_without_a_start', t.job_id, format('%s: from %s, and nothing before', t.cause, t.from_state)
  from odd as t
  where t.last_at is null
    and t.from_state is not null
    and t.has_stayed
    and holdfast.created_at(t.job_id) > t.whole_since
    and not exists (
      select from holdfast.events as o
      where o.job_id = t.job_id and o.id < t.id and o.to_state is not null offset 0)
$$;
