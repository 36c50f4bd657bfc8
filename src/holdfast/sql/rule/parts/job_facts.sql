-- What a rule's condition may look at: the facts of one new job. Times are in UTC.
create or replace function holdfast.job_facts(
  payload json, labels jsonb, task text, queue text, origin text, at timestamptz
)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    'payload', payload, 'labels', coalesce(nullif(labels, 'null'), '{}'), 'task', task, 'queue', queue,
    'origin', coalesce(holdfast.stored_origin(origin), 'automatic'), 'size', octet_length(payload::text),
    'now', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
    'hour', extract(hour from at at time zone 'UTC')::integer,
    'weekday', extract(isodow from at at time zone 'UTC')::integer)
$$;
