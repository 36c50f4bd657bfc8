-- (any) -> set: how many of 100 keys are in a roll-out, as an operator: 0 is off, 100 is on, at most two decimals.
-- Makes the roll-out if there is none. Raising keeps all keys that are in, and 0 takes all out at once. Returns the
-- settings that changed, with their values before and after. The audit trail gets one event with these, the reason, the
-- actor and the login.
create or replace function holdfast.set_rollout(
  name text, percent numeric, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  was numeric;
begin
  if coalesce(length(name), 0) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a roll-out must have 1 to 200 characters.', 'Choose another name.');
  end if;
  if percent is null or percent not between 0 and 100 or percent <> round(percent, 2) then
    perform holdfast.refuse('HF002',
      format('percent must be a number from 0 to 100 with at most two decimals (got %s).',
        coalesce(percent::text, 'null')),
      'Pass 0 for off, 100 for on, or the percentage of keys, such as 20.');
  end if;
  insert into holdfast.rollouts (name, percent, changed_at) values (name, 0, holdfast.now()) on conflict do nothing;
  select r.percent into was from holdfast.rollouts as r where r.name = set_rollout.name for update;
  update holdfast.rollouts as r
  set percent = set_rollout.percent, changed_at = holdfast.now()
  where r.name = set_rollout.name and r.percent <> set_rollout.percent;
  return query
    select *
    from holdfast.record_change(
      'set_rollout', 'rollout', name,
      jsonb_build_object('percent', trim_scale(was)), jsonb_build_object('percent', trim_scale(percent)),
      reason, actor);
end
$$;
