-- working -> (asked to drain): asks workers to finish the jobs they run and to stop.
-- No successor is requested for them. Name either ids or of_group, the other is null. Workers learn it at their next
-- renew_lease. Returns those that were asked: live ones that were not asked before.
create or replace function holdfast.drain_workers(ids uuid[], of_group text, reason text, actor text)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  asked uuid;
begin
  perform holdfast.check_reason(reason);
  if (ids is null) = (of_group is null) then
    perform holdfast.refuse('HF002', 'Exactly one of ids and of_group must be given.', 'Pass null for the other one.');
  end if;
  for asked in
    update holdfast.workers as w
    set drain_asked = true
    where (w.id = any (ids) or w."group" = of_group)
      and w.state = 'working' and not w.drain_asked and w.lease_until >= holdfast.now()
    returning w.id
  loop
    perform holdfast.record_event('drain', worker => asked, actor => actor, reason => reason);
    return next asked;
  end loop;
end
$$;
