-- asked -> asked | closed: returns the workers that have to be requested now.
-- Successors that did not start within patience (doubled each time), and those that a vanished worker could not
-- request. Also rescues jobs of vanished workers, since no other worker may be left to do it. Send each returned body
-- to the service that starts workers.
create or replace function holdfast.lost_continuations(
  of_queues text[] default null, of_group text default null, patience interval default '30 seconds',
  max integer default 10
)
returns setof jsonb
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  at    timestamptz;
  later timestamptz;
  row   holdfast.continuations;
  due   bigint;
begin
  perform holdfast.check_count('max', max);
  -- If the last worker of all has vanished, no other rescues its jobs.
  perform from holdfast.rescue_jobs();
  at := holdfast.now();
  -- A worker that vanished or stopped without a request still needs a successor.
  insert into holdfast.continuations (id, cause, worker_id, run_id, "group", queues, link, claim_size, asked_at, due_at)
  select holdfast.new_id(at), 'lost', w.id, w.run_id, w."group", w.queues, coalesce(w.link, 0) + 1, w.claim_size, at, at
  from holdfast.workers as w
  where w.continues and not w.drain_asked
    and (w.state = 'stopped' or w.lease_until < at)
    and (of_queues is null or w.queues <@ of_queues) and (of_group is null or w."group" = of_group)
    and not exists (select from holdfast.continuations as c where c.worker_id = w.id)
    -- Jobs that were locked are not rescued yet. The rescue comes first, because it knows which runs lost jobs.
    and not exists (select from holdfast.jobs as j where j.worker_id = w.id and j.state = 'running')
  on conflict do nothing;
  for row in
    select c.* from holdfast.continuations as c
    where c.taken_at is null and c.closed_at is null
      -- Backoff: where workers start slowly, requesting more of them would make it worse.
      and c.due_at <= at
      and (c.sent_at is null or greatest(c.sent_at, c.due_at) < at - patience * power(2, least(c.sent, 7) - 1))
      and (of_queues is null or c.queues <@ of_queues) and (of_group is null or c."group" = of_group)
    order by c.due_at
    limit max
    for update skip locked
  loop
    due := holdfast.work_left(row.queues, row.run_id, interval '1 minute');
    -- Jobs that rest after a loss still need a worker when they are due; one waiting continuation is enough for them.
    later := case when due = 0 then holdfast.next_start(row.queues, row.run_id) end;
    if holdfast.is_awaited(row.queues, row."group", row.run_id, later) then
      later := null;
    end if;
    update holdfast.continuations as c
    set remaining = due,
        due_at = coalesce(later, c.due_at),
        closed_at = case when due = 0 and later is null then at end,
        sent_at = case when due > 0 then at when later is null then c.sent_at end,
        sent = case when later is null then c.sent + (due > 0)::integer else 0 end
    where c.id = row.id
    returning c.* into row;
    if due > 0 then
      return next holdfast.continuation_body(row);
    end if;
  end loop;
end
$$;
