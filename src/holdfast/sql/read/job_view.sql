-- Every job, live and ended.
-- login and role are what the database knew about the session that enqueued it; claimed_actor is a name that the
-- caller gave. changed_at is when its state last changed. Of a job that is scheduled or waiting it is derived from what
-- was recorded: of one that handlers snoozed several times in a row it is the first time, unless its queue's detail is
-- full.
create or replace view holdfast.job_view as
select
  j.id, j.queue, j.task, j.state, j.priority, j.attempt, j.failures, j.losses, j.deferrals, j.generation, j.stage,
  j.run_id as run, j.parent_id as parent, j.worker_id as worker, j.labels,
  case
    when j.payload is null then (select p.payload from holdfast.payloads as p where p.job_id = j.id)
    else j.payload
  end as payload,
  null::json as output,
  j.waits_for as reason,
  j.order_key, j.unique_key, l.endpoint, l."group", j.units, j.timeout, j.deadline, j.max_failures, j.retry,
  holdfast.created_at(j.id) as created_at,
  j.due_at,
  j.rank_at + coalesce(j.lead, '0') as ready_at,
  j.started_at,
  j.cancel_asked_at,
  null::timestamptz as ended_at,
  (select to_jsonb(p) - 'job_id' from holdfast.progress as p where p.job_id = j.id) as progress,
  j.unique_scope, coalesce(j.origin, 'automatic') as origin, g.login, nullif(g.role, 'none') as role,
  j.claimed_actor,
  case j.state
    when 'running' then j.started_at
    when 'ready' then j.rank_at + coalesce(j.lead, '0')
    else greatest(
      holdfast.created_at(j.id),
      j.deferred_since,
      (select a.ended_at from holdfast.attempts as a where a.job_id = j.id order by a.attempt desc limit 1),
      (select s.ended_at from holdfast.stage_outputs as s where s.job_id = j.id
        order by s.generation desc, s.visit desc limit 1),
      (select max(w.began_at) from holdfast.waits as w where w.job_id = j.id and w.generation = j.generation),
      (select e.at from holdfast.events as e
        where e.job_id = j.id and e.to_state = j.state and e.from_state is distinct from e.to_state
        order by e.id desc limit 1))
  end as changed_at,
  j.cost
from holdfast.jobs as j
left join holdfast.lanes as l on l.lane = j.lane
left join holdfast.logins as g on g.id = j.login_id
union all
select
  h.id, h.queue, h.task, h.state, h.priority, h.attempt, h.failures, h.losses, h.deferrals, h.generation, h.stage,
  h.run_id, h.parent_id, h.worker_id, h.labels,
  case
    when h.payload is null then (select p.payload from holdfast.payloads as p where p.job_id = h.id)
    else h.payload
  end,
  h.output,
  h.reason,
  h.order_key, h.unique_key, coalesce(l.endpoint, p.endpoint), coalesce(l."group", p."group"), h.units, h.timeout,
  h.deadline, h.max_failures, h.retry, holdfast.created_at(h.id),
  null, h.ready_at, h.started_at, null, h.ended_at,
  (select to_jsonb(p) - 'job_id' from holdfast.progress as p where p.job_id = h.id),
  h.unique_scope, coalesce(h.origin, 'automatic'), g.login, nullif(g.role, 'none'), h.claimed_actor, h.ended_at, h.cost
from holdfast.history as h
left join holdfast.lanes as l on l.lane = h.lane
left join holdfast.logins as g on g.id = h.login_id
left join holdfast.past_lanes as p on p.lane = h.lane and l.lane is null;
