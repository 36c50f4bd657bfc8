-- Takes the unique keys of an enqueue in sorted order, so that two enqueues cannot wait for each other.
create or replace function holdfast.reserve_keys(
  inout ids uuid[], tasks text[], payloads json[], options jsonb, each jsonb[], out made boolean[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  asked  record;
  holder uuid;
begin
  made := array_fill(true, array[cardinality(ids)]);
  for asked in
    select
      ordinality as i,
      coalesce(unique_scope, task) as scope,
      unique_key as key,
      unique_for as lives,
      sha256(convert_to(task || ':' || payload::jsonb::text, 'utf8')) as hash
    from rows from (unnest(tasks), unnest(payloads), holdfast.read_options(options, each, cardinality(ids)))
      with ordinality as u (task, payload)
    where unique_key is not null
    order by scope, key, i
  loop
    holder := holdfast.reserve_key(asked.scope, asked.key, ids[asked.i], asked.hash, asked.lives);
    made[asked.i] := holder = ids[asked.i];
    ids[asked.i] := holder;
  end loop;
end
$$;
comment on function holdfast.reserve_keys(uuid[], text[], json[], jsonb, jsonb[])
  is 'Takes the unique keys of an enqueue; where a key is taken, the id becomes its job''s and made is false.';
