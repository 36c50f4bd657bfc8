-- set -> set: sets a flag for all, for one queue or for one worker group, as an operator; null restores the default.
-- rescue (on or off) and detail (off, basic or full) hold for all or for of_queue; slots (1 to 10000) and claim_size
-- (auto, or 1 to 10000) for all or for of_group. What is set for one wins over what is set for all; the detail of one
-- queue is the setting detail of that queue. Returns the value before and after if it changed. The audit trail then
-- gets one event with these, the reason, the actor and the login, and NOTIFY on the channel holdfast_flags tells
-- workers, which learn it at their next renew_lease otherwise.
create or replace function holdfast.set_flag(
  name text, value text, of_queue text default null, of_group text default null, reason text default null,
  actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  one   constant text := coalesce(of_queue, of_group, '');
  was   text;
begin
  perform holdfast.check_flag(name, value, of_queue, of_group);
  -- Lock order: the flag before the queues that follow it.
  perform from holdfast.flags as f where f.name = set_flag.name and f.scope = '' for update;
  if name = 'detail' and of_queue is not null then
    return query select * from holdfast.configure_queue('set_flag', of_queue, jsonb_build_object('detail', value),
      reason, actor);
    return;
  end if;
  select f.value into was from holdfast.flags as f where f.name = set_flag.name and f.scope = one;
  if was is not distinct from value then
    return;
  end if;
  if value is null and one <> '' then
    delete from holdfast.flags as f where f.name = set_flag.name and f.scope = one;
  else
    insert into holdfast.flags as f (name, scope, value, set_at, actor, reason)
    values (name, one, value, holdfast.now(), actor, left(holdfast.sanitise_text(reason), 2000))
    on conflict on constraint flags_pkey do update
      set value = excluded.value, set_at = excluded.set_at, actor = excluded.actor, reason = excluded.reason;
  end if;
  if name = 'detail' then
    perform holdfast.follow_detail(coalesce(value, 'basic'));
  end if;
  perform pg_notify('holdfast_flags', name);
  return query
    select * from holdfast.record_change('set_flag',
      case when of_queue is not null then 'queue' when of_group is not null then 'group' else 'flag' end,
      coalesce(of_queue, of_group, name), jsonb_build_object(name, was), jsonb_build_object(name, value), reason,
      actor);
end
$$;
