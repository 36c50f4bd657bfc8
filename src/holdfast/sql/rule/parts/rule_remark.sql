-- The rules that matched when a job was enqueued, as a row of explain; none if none matched.
create or replace function holdfast.rule_remark(rules jsonb)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql immutable
as $$
  select 'rules', holdfast.rule_words(rules), null::timestamptz, false where rules is not null
$$;
