-- Violations of: the row of a task or queue says whether it has an enabled rule; enqueues look at nothing else.
create or replace function holdfast.broken_rules(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'rules_unnoticed', null::uuid,
    format('the %s %s has %s enabled rules, and its row says the opposite', o.kind, o.name,
      case when o.has_rules then 'no' else 'some' end)
  from (
    (select 'task' as kind, t.name, t.has_rules from holdfast.tasks as t order by t.name limit max)
    union all
    (select 'queue', q.name, q.has_rules from holdfast.queues as q order by q.name limit max)
  ) as o
  where o.has_rules <> exists (
    select from holdfast.rules as r where r.kind = o.kind and r.owner = o.name and r.is_enabled offset 0
  )
$$;
