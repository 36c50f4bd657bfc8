-- Returns what happened to a job in order of time, the latest max entries.
-- Creation, the rules that matched then, events, failed attempts, stages, waits, checkpoints, calls, notes and the end.
create or replace function holdfast.timeline(job uuid, max integer default 200)
returns table (at timestamptz, what text, attempt integer, actor text, words text, detail jsonb)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.check_count('max', max);
  with past as (
    select h.*
    from holdfast.history as h
    where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute'
  ), entry as (
    select holdfast.created_at(job) as at, 0 as place, 'created' as what, null::integer as attempt, null::text as actor,
      null::text as words, null::jsonb as detail
    where exists (select from past) or exists (select from holdfast.jobs as j where j.id = job)
    union all
    select holdfast.created_at(job), 1, 'rules', null, null, holdfast.rule_words(r.rules), r.rules
    from (
      select p.rules from past as p
      union all
      select j.rules from holdfast.jobs as j where j.id = job
    ) as r
    where r.rules is not null
    union all
    (select e.at, 2, e.cause, e.attempt, e.actor, e.reason,
      jsonb_strip_nulls(jsonb_build_object('from', e.from_state, 'to', e.to_state, 'worker', e.worker_id))
      || coalesce(e.detail, '{}')
    from holdfast.events as e
    where e.job_id = job
      -- The history row stands for the last end.
      and not (e.cause = 'end' and exists (select from past as p where e.at >= p.ended_at))
    order by e.id desc limit 1000)
    union all
    (select a.ended_at, 1, a.outcome, a.attempt, null, concat_ws(': ', a.error_type, a.message),
      jsonb_strip_nulls(jsonb_build_object('class', a.class, 'place', a.place, 'worker', a.worker_id, 'host', a.host,
        'version', a.version, 'stage', a.stage, 'visit', a.visit, 'generation', a.generation, 'counted', a.counted,
        'started_at', a.started_at, 'retry_at', a.retry_at, 'fingerprint', a.fingerprint))
    from holdfast.attempts as a where a.job_id = job
    order by a.attempt desc limit 1000)
    union all
    (select s.ended_at, 1, 'stage', s.attempt, null, s.stage,
      jsonb_strip_nulls(jsonb_build_object('visit', s.visit, 'generation', s.generation, 'worker', s.worker_id,
        'ready_at', s.ready_at, 'started_at', s.started_at, 'units', s.units, 'cost', s.cost,
        'output', left(s.output::text, 200)))
    from holdfast.stage_outputs as s where s.job_id = job
    order by s.generation desc, s.visit desc limit 1000)
    union all
    -- Where the trail is full, an event tells of the wait.
    (select w.began_at, 1, 'wait', null, null, w.name,
      jsonb_strip_nulls(jsonb_build_object('visit', w.visit, 'generation', w.generation, 'until', w.until))
    from holdfast.waits as w
    where w.job_id = job
      and not exists (
        select from holdfast.events as e
        where e.job_id = job and e.cause = 'wait' and e.at between w.began_at and w.began_at + interval '1 second')
    order by w.began_at desc limit 1000)
    union all
    -- An agent's checkpoints appear as its calls.
    (select c.saved_at, 1, 'checkpoint', c.attempt, null, c.name, null
     from holdfast.checkpoints as c
     where c.job_id = job and c.name not like 'agent/%'
     order by c.saved_at desc
     limit 1000)
    union all
    (select c.at, 1, c.kind || ' call', c.attempt, null,
      concat_ws(', ', c.name, round(c.units::numeric) || ' units',
        holdfast.span_words(make_interval(secs => c.seconds)), c.finish_reason, c.error),
      jsonb_strip_nulls(jsonb_build_object('generation', c.generation, 'visit', c.visit, 'seq', c.seq, 'units', c.units,
        'cost', c.cost, 'seconds', c.seconds, 'argument_bytes', c.argument_bytes, 'name', c.name,
        'finish_reason', c.finish_reason, 'error', c.error))
    from holdfast.calls as c where c.job_id = job
    order by c.generation desc, c.visit desc, c.seq desc limit 1000)
    union all
    (select n.at, 3, 'note', null, n.author, n.note, null
     from holdfast.dead_letter_notes as n
     where n.job_id = job
     order by n.id desc
     limit 1000)
    union all
    select j.started_at, 1, 'running', j.attempt, null, null, jsonb_build_object('worker', j.worker_id)
    from holdfast.jobs as j where j.id = job and j.state = 'running'
    union all
    select p.ended_at, 2, p.state, p.attempt, null, p.reason,
      jsonb_strip_nulls(jsonb_build_object('worker', p.worker_id, 'ready_at', p.ready_at, 'started_at', p.started_at,
        'generation', p.generation, 'stage', p.stage, 'units', p.units - coalesce(p.units_before, 0),
        'cost', p.cost - coalesce(p.cost_before, 0)))
    from past as p
  )
  select t.at, t.what, t.attempt, t.actor, t.words, t.detail
  from (select * from entry order by at desc nulls last, place desc limit least(max, 5000)) as t
  order by t.at, t.place
$$;
