-- Writes one event if settings changed, with the changed ones before and after; returns those.
-- kind: queue, task, endpoint, pipeline, group (of workers), flag, rule, rules, rebalance, rollout or access_key.
create or replace function holdfast.record_change(
  cause text, kind text, name text, before jsonb, after jsonb, reason text, actor text
)
returns table (setting text, was jsonb, became jsonb)
language plpgsql volatile
as $$
declare
  changed jsonb;
begin
  select jsonb_build_object('before', jsonb_object_agg(c.key, c.was), 'after', jsonb_object_agg(c.key, c.became))
  into changed
  from (
    select coalesce(b.key, a.key) as key, coalesce(b.value, 'null') as was, coalesce(a.value, 'null') as became
    from jsonb_each(before) as b
    full join jsonb_each(after) as a on a.key = b.key
  ) as c
  where c.was <> c.became
  having count(*) > 0;
  if changed is null then
    return;
  end if;
  perform holdfast.record_event(cause, queue => case when kind = 'queue' then name end, actor => actor,
    reason => reason, detail => jsonb_build_object(kind, name) || changed);
  return query
    select b.key, b.value, changed -> 'after' -> b.key
    from jsonb_each(changed -> 'before') as b
    order by b.key;
end
$$;
