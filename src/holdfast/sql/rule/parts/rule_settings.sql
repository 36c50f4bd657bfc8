-- The settings of a rule, by the keys of set_rule; null if there is none.
create or replace function holdfast.rule_settings(of_kind text, of_owner text, of_name text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object(
    'condition', r.condition, 'points', r.points, 'queue', r.queue, 'position', r.position, 'enabled', r.is_enabled)
  from holdfast.rules as r
  where r.kind = of_kind and r.owner = of_owner and r.name = of_name
$$;
