-- The body of the callback that requests a worker.
create or replace function holdfast.continuation_body(asked holdfast.continuations)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    'continuation', asked.id,
    'cause', asked.cause,
    'run', asked.run_id,
    'group', nullif(asked."group", ''),
    'queues', asked.queues,
    'index', asked.link,
    'claim_size', asked.claim_size,
    'remaining', asked.remaining,
    'checkpoint', asked.checkpoint,
    'delay', round(greatest(0, extract(epoch from asked.due_at - holdfast.now()))::numeric, 3)
  )
$$;
