-- Locks the task or queue whose rules are about to change, and makes it and its set if there are none.
-- The lock lets two who change the same set see each other's change; enqueues and claims do not wait for it.
create or replace function holdfast.hold_rules(of_kind text, of_owner text)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.refuse_reserved(of_owner);
  if of_kind not in ('task', 'queue') or coalesce(length(of_owner), 0) not between 1 and 200 then
    perform holdfast.refuse('HF002', format('Rules belong to a task or a queue (got %s %s).', of_kind, of_owner),
      'Pass task or queue as the kind, then the name of that task or queue (1 to 200 characters).');
  elsif of_kind = 'task' then
    insert into holdfast.tasks (name) values (of_owner) on conflict do nothing;
    perform from holdfast.tasks as t where t.name = of_owner for update;
  else
    perform holdfast.declare_queue(of_owner);
    perform from holdfast.queues as q where q.name = of_owner for update;
  end if;
  insert into holdfast.rule_sets (kind, owner) values (of_kind, of_owner) on conflict do nothing;
end
$$;
