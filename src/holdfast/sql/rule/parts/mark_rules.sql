-- Notes in the row of a task or queue, which enqueues read anyway, whether it has an enabled rule.
create or replace function holdfast.mark_rules(of_kind text, of_owner text)
returns void
language plpgsql volatile
as $$
declare
  enabled constant integer := (
    select count(*) from holdfast.rules as r where r.kind = of_kind and r.owner = of_owner and r.is_enabled);
begin
  if enabled > 100 then
    perform holdfast.refuse('HF002', format('The %s %s would have %s enabled rules.', of_kind, of_owner, enabled),
      'At most 100 may be enabled, because every enqueue evaluates them. Disable or remove one first.');
  elsif of_kind = 'task' then
    update holdfast.tasks as t set has_rules = enabled > 0 where t.name = of_owner and t.has_rules <> (enabled > 0);
  else
    update holdfast.queues as q set has_rules = enabled > 0 where q.name = of_owner and q.has_rules <> (enabled > 0);
  end if;
end
$$;
