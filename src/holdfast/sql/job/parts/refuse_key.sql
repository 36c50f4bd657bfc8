-- Raises HF003 for a unique key that a job with another payload, or other options, has.
create or replace function holdfast.refuse_key(key text, holder uuid)
returns void
language sql volatile
as $$
  select holdfast.refuse('HF003',
    format('The unique key %s belongs to the job %s, which has another payload or other options.', key, holder),
    'For different work, use another key. To get the existing job, enqueue the same payload with the same options.')
$$;
