-- ready | scheduled -> the same, in another queue: moves those of the chosen jobs that are still free.
-- A job that was claimed, cancelled or moved meanwhile stays as it is, and so does one whose row is locked. Each moved
-- job gets an event, under the queue that it left; the call gets one with their number.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.move_chosen(
  chosen uuid[], from_queue text, to_queue text, cause text, reason text, actor text,
  out ready integer, out scheduled integer
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  -- Lock order: lanes are made before any job is locked, so that a claim never waits for a producer's new lane.
  places constant jsonb := (
    select jsonb_agg(to_jsonb(p)) from holdfast.new_places(chosen, move_chosen.from_queue, move_chosen.to_queue) as p);
  held   constant holdfast.jobs[] := array(
    select j
    from holdfast.jobs as j
    where j.id = any (chosen) and j.queue = move_chosen.from_queue and j.state in ('ready', 'scheduled')
    order by j.id
    for update skip locked);
  ids    constant uuid[] := array(select h.id from unnest(held) as h);
begin
  with moved as (
    update holdfast.jobs as j
    set queue = move_chosen.to_queue,
        lane = n.lane,
        priority = n.priority,
        urgency = case when n.lead is null then n.priority else 0 end,
        lead = n.lead,
        -- It stands among the jobs of the other queue by the time at which it became ready.
        rank_at = j.rank_at + coalesce(j.lead, '0') - coalesce(n.lead, '0'),
        timeout = n.timeout
    from (
      select h.id, p.lane, w.priority, make_interval(secs => 60 * w.priority / p.ageing) as lead,
        case when h.timeout is distinct from p.usual_timeout then h.timeout else p.timeout end as timeout
      from unnest(held) as h
      join jsonb_to_recordset(places) as p (
        old_lane integer, task text, lane integer, usual_priority integer, usual_timeout interval, priority integer,
        timeout interval, ageing double precision)
        on p.old_lane = h.lane and p.task = h.task
      cross join lateral (
        select case when h.priority = p.usual_priority then p.priority else h.priority end as priority) as w
    ) as n
    where j.id = any (ids)
      and j.id = n.id
    returning j.id, j.run_id, j.state, j.attempt
  ), noted as (
    insert into holdfast.events (at, cause, job_id, run_id, queue, from_state, to_state, attempt, reason, detail)
    select holdfast.now(), 'move', m.id, m.run_id, move_chosen.from_queue, m.state, m.state, m.attempt,
      left(holdfast.sanitise_text(move_chosen.reason), 2000),
      jsonb_strip_nulls(jsonb_build_object(
        'from_queue', move_chosen.from_queue, 'to_queue', move_chosen.to_queue, 'asked_by', actor))
    from moved as m
    order by m.id
  )
  select count(*) filter (where m.state = 'ready'), count(*) filter (where m.state = 'scheduled')
  into ready, scheduled
  from moved as m;
  if ready + scheduled = 0 then
    return;
  end if;
  perform holdfast.record_event(cause, queue => move_chosen.from_queue, actor => actor, reason => reason,
    detail => jsonb_build_object('from_queue', move_chosen.from_queue, 'to_queue', move_chosen.to_queue,
      'ready', ready, 'scheduled', scheduled));
  if ready > 0 and places @> '[{"wakes": true}]' then
    perform holdfast.notify_ready(array[move_chosen.to_queue]);
  end if;
end
$$;
