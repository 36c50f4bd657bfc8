-- The facts of one new job that may differ from those of the other jobs of its call.
create or replace function holdfast.own_facts(payload json, labels jsonb, task text, origin text)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    'payload', payload, 'labels', coalesce(nullif(labels, 'null'), '{}'), 'task', task,
    'origin', coalesce(holdfast.stored_origin(origin), 'automatic'), 'size', octet_length(payload::text))
$$;
