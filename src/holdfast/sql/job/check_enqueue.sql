-- Refuses an enqueue as a whole, naming the first job at fault.
create or replace function holdfast.check_enqueue(tasks text[], payloads json[], options jsonb, each jsonb[])
returns void
language plpgsql volatile
as $$
declare
  n            integer := cardinality(payloads);
  -- Whoever writes JSON from values of its own gives no key twice, and says so: to look costs as much as the rest of the checks.
  look_at_keys boolean := options ->> 'keys_checked' is distinct from 'true';
  fault        record;
begin
  if coalesce(cardinality(tasks), 0) not in (1, n) or coalesce(cardinality(each), n) <> n then
    perform holdfast.refuse('HF002',
      format('There are %s payloads, %s tasks and %s sets of options.', n, coalesce(cardinality(tasks), 0), coalesce(cardinality(each)::text, 'no')),
      'Give one task for all or one per payload, and no sets of options or one per payload.');
  end if;
  if options is null or jsonb_typeof(options) <> 'object' then
    perform holdfast.refuse('HF002', 'Options must be a JSON object.', 'Give {} for none.');
  end if;
  if options ? 'stagger' and not coalesce(
    jsonb_path_match(options, 'strict $.stagger.every >= 0 && $.stagger.every <= 31536000 && $.stagger.chunk >= 1 && $.stagger.chunk <= 1000000', silent => true),
    false)
  then
    perform holdfast.refuse('HF002', 'The option stagger has a value that does not fit.', 'Give {"every": seconds, "chunk": jobs}.');
  end if;
  if each is not null then
    select i into fault from unnest(each) with ordinality as e (o, i) where jsonb_typeof(o) not in ('object', 'null') limit 1;
    if found then
      perform holdfast.refuse('HF002', format('The options of job %s are not a JSON object.', fault.i - 1), 'Give {} for none.');
    end if;
  end if;
  -- One that is in order is told by an expression, which needs no executor.
  if cardinality(tasks) > 1 or not coalesce(length(tasks[1]) between 1 and 200, false) then
    select i into fault from unnest(tasks) with ordinality as t (task, i)
    where task is null or length(task) not between 1 and 200 limit 1;
    if found then
      perform holdfast.refuse('HF002', format('Job %s names no task.', fault.i - 1), 'A task is a name of 1 to 200 characters.');
    end if;
  end if;
  if n > 1 or coalesce(holdfast.payload_problem(payloads[1]::text), case when look_at_keys then holdfast.repeated_key(payloads[1]::text) end) is not null then
    select i, problem into fault
    from unnest(payloads::text[]) with ordinality as u (p, i)
    cross join lateral (select coalesce(holdfast.payload_problem(p), case when look_at_keys then holdfast.repeated_key(p) end)) as found (problem)
    where problem is not null
    limit 1;
    if found then
      perform holdfast.refuse_payload(fault.i, fault.problem);
    end if;
  end if;
  if options ? 'parent' or each::text like '%"parent%' then
    perform holdfast.check_parents(options, each);
  end if;
end
$$;
comment on function holdfast.check_enqueue(text[], json[], jsonb, jsonb[]) is 'Refuses an enqueue as a whole, naming the first job at fault.';
