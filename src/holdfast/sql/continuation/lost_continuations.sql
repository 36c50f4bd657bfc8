-- asked -> asked | closed: finds successors that never came, and those that nobody asked for, to be sent again by the caller.
create or replace function holdfast.lost_continuations(
  of_queues text[] default null, of_group text default null, patience interval default '30 seconds', max integer default 10
)
returns setof jsonb
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  at  timestamptz;
  row holdfast.continuations;
  due bigint;
begin
  perform holdfast.check_count('max', max);
  -- The last worker of all may be the one that vanished: then no other takes back its jobs.
  perform from holdfast.rescue_jobs();
  at := holdfast.now();
  -- A worker that vanished, or left without a word, still owes its successor.
  insert into holdfast.continuations (id, cause, worker_id, run_id, "group", queues, link, claim_size, asked_at, due_at)
  select holdfast.new_id(at), 'lost', w.id, w.run_id, w."group", w.queues, coalesce(w.link, 0) + 1, w.claim_size, at, at
  from holdfast.workers as w
  where w.continues and not w.drain_asked
    and (w.state = 'stopped' or w.lease_until < at)
    and (of_queues is null or w.queues <@ of_queues) and (of_group is null or w."group" = of_group)
    and not exists (select from holdfast.continuations as c where c.worker_id = w.id)
    -- The rescue passed over jobs that are locked just now. It comes first: it knows which runs lost jobs.
    and not exists (select from holdfast.jobs as j where j.worker_id = w.id and j.state = 'running')
  on conflict do nothing;
  for row in
    select c.* from holdfast.continuations as c
    where c.taken_at is null and c.closed_at is null
      -- Longer each time: where workers come slowly, more of them would make them slower still.
      and c.due_at <= at and (c.sent_at is null or greatest(c.sent_at, c.due_at) < at - patience * power(2, least(c.sent, 7) - 1))
      and (of_queues is null or c.queues <@ of_queues) and (of_group is null or c."group" = of_group)
    order by c.due_at
    limit max
    for update skip locked
  loop
    due := holdfast.work_left(row.queues, row.run_id, interval '1 minute');
    update holdfast.continuations as c
    set remaining = due,
        closed_at = case when due = 0 then at end,
        sent_at = case when due > 0 then at else c.sent_at end,
        sent = c.sent + (due > 0)::integer
    where c.id = row.id
    returning c.* into row;
    if due > 0 then
      return next holdfast.continuation_body(row);
    end if;
  end loop;
end
$$;
comment on function holdfast.lost_continuations(text[], text, interval, integer)
  is 'The workers that are to be started now because a successor never came or was never asked for. Send each to whatever starts workers.';
