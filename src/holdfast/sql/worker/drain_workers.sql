-- working -> (asked to drain): an operator asks workers to finish what they run and to leave; no successor follows them.
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
    perform holdfast.refuse('HF002', 'Which workers are to drain?', 'Give either their ids or the name of their group.');
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
comment on function holdfast.drain_workers(uuid[], text, text, text)
  is 'Asks live workers, by id or by group, to finish what they run and to leave; they obey at their next renewal. Returns those asked.';
