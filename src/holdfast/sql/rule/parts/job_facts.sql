-- What a rule's condition may look at: the facts of one new job. Times are in UTC.
create or replace function holdfast.job_facts(
  payload json, labels jsonb, task text, queue text, origin text, at timestamptz
)
returns jsonb
language sql stable
as $$
  select holdfast.own_facts(payload, labels, task, origin) || jsonb_build_object(
    'queue', queue,
    'now', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
    'hour', extract(hour from at at time zone 'UTC')::integer,
    'weekday', extract(isodow from at at time zone 'UTC')::integer)
$$;
