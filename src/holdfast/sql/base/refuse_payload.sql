-- Raises HF001 for the payload of job i of an enqueue, counted from 1.
create or replace function holdfast.refuse_payload(i bigint, problem text)
returns void
language sql volatile
as $$
  select holdfast.refuse('HF001',
    format('The payload of job %s is refused: %s.', i - 1, problem),
    'Send JSON that comes back equal; put large data elsewhere and send where it is.',
    split_part(problem, ' ', 1))
$$;
comment on function holdfast.refuse_payload(bigint, text) is 'Raises HF001 for the payload of one job of an enqueue.';
