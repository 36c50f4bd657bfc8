-- Raises HF001 for the payload of job i of an enqueue, counted from 1.
create or replace function holdfast.refuse_payload(i bigint, problem text)
returns void
language sql volatile
as $$
  select holdfast.refuse('HF001',
    format('The payload at index %s is refused: %s.', i - 1, problem),
    'Pass JSON that PostgreSQL can store without a change. Store large data elsewhere, and pass a reference to it.',
    split_part(problem, ' ', 1))
$$;
