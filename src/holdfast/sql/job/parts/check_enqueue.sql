-- Raises an error for invalid tasks, payloads or options for all jobs. Returns the bytes of the longest payload.
-- is_internal: a job of Holdfast's own, whose names are reserved.
create or replace function holdfast.check_enqueue(
  tasks text[], payloads json[], options jsonb, is_internal boolean
)
returns integer
language plpgsql volatile
as $$
declare
  n            constant integer := cardinality(payloads);
  -- A client that serialises its own objects cannot repeat a key, and says so: this check costs as much as the others.
  look_at_keys constant boolean := options ->> 'keys_checked' is distinct from 'true';
  largest      integer;
  fault        bigint;
begin
  if coalesce(cardinality(tasks), 0) not in (1, n) then
    perform holdfast.refuse('HF002',
      format('The arrays must have the same length (got %s payloads, but %s tasks).',
        n, coalesce(cardinality(tasks), 0)),
      'Pass one task for all payloads, or one task per payload.');
  end if;
  if options is null then
    perform holdfast.refuse('HF002', 'options must be a JSON object.', 'Pass {} if you need no options.');
  end if;
  if options ? 'stagger' and not coalesce(
    jsonb_path_match(options,
      'strict $.stagger.every >= 0 && $.stagger.every <= 31536000'
      ' && $.stagger.chunk >= 1 && $.stagger.chunk <= 1000000',
      silent => true),
    false)
  then
    perform holdfast.refuse('HF002', 'The option stagger must be an object with every and chunk.',
      'Pass {"every": 30, "chunk": 100} to start 100 jobs every 30 seconds.');
  end if;
  -- An expression checks the usual case without starting the executor.
  if cardinality(tasks) > 1
    or not coalesce(length(tasks[1]) between 1 and 200 and (is_internal or not holdfast.is_reserved(tasks[1])), false)
  then
    select min(i) into fault
    from unnest(tasks) with ordinality as t (task, i)
    where task is null or length(task) not between 1 and 200;
    if fault is not null then
      perform holdfast.refuse('HF002', format('The task at index %s must be a name of 1 to 200 characters.', fault - 1),
        'Pass the name of a task for each job.');
    end if;
    perform holdfast.refuse_reserved(variadic tasks);
  end if;
  if n = 1 and holdfast.payload_problem(payloads[1]::text) is null and not look_at_keys then
    return octet_length(payloads[1]::text);
  end if;
  select
    max(octet_length(p)),
    min(i) filter (where holdfast.payload_problem(p) is not null
      or look_at_keys and holdfast.repeated_key(p) is not null)
  into largest, fault
  from unnest(payloads::text[]) with ordinality as u (p, i);
  if fault is not null then
    perform holdfast.refuse_payload(fault, coalesce(
      holdfast.payload_problem(payloads[fault]::text), holdfast.repeated_key(payloads[fault]::text)));
  end if;
  return largest;
end
$$;
