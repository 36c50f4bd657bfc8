-- Takes unique keys one by one, in sorted order, and replaces the ids of jobs whose keys other jobs have.
create or replace function holdfast.take_each_key(
  inout ids uuid[], scopes text[], keys text[], hashes bytea[], lives text[], out made boolean[]
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
    select i, scope, key, hash, life
    from rows from (unnest(scopes), unnest(keys), unnest(hashes), unnest(lives)) with ordinality
      as u (scope, key, hash, life, i)
    where key is not null
    order by scope collate "C", key collate "C", i
  loop
    holder := holdfast.reserve_key(asked.scope, asked.key, ids[asked.i], asked.hash, asked.life);
    made[asked.i] := holder = ids[asked.i];
    ids[asked.i] := holder;
  end loop;
end
$$;
