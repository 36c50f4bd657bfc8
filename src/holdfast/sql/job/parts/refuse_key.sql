-- Raises HF003 for a unique key that another job with another payload has.
create or replace function holdfast.refuse_key(key text, holder uuid)
returns void
language sql volatile
as $$
  select holdfast.refuse('HF003',
    format('The unique key %s belongs to the job %s, which has another payload.', key, holder),
    'For different work, use another key. To get the existing job, enqueue the same payload.')
$$;
