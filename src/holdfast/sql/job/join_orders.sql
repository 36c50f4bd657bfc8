-- Puts the jobs of an enqueue in the lines of their order keys, the keys sorted, the jobs of a key as given.
create or replace function holdfast.join_orders(
  ids uuid[], made boolean[], options jsonb, each jsonb[], out seqs bigint[], out heads boolean[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  asked record;
  place record;
begin
  seqs := array_fill(null::bigint, array[cardinality(ids)]);
  heads := array_fill(null::boolean, array[cardinality(ids)]);
  for asked in
    select ordinality as i, order_key as key
    from rows from (holdfast.read_options(options, each, cardinality(ids))) with ordinality
    where order_key is not null
    order by key, i
  loop
    continue when not coalesce(made[asked.i], true);
    select j.seq, j.is_head into place from holdfast.join_order(asked.key, ids[asked.i]) as j;
    seqs[asked.i] := place.seq;
    heads[asked.i] := place.is_head;
  end loop;
end
$$;
comment on function holdfast.join_orders(uuid[], boolean[], jsonb, jsonb[]) is 'Puts the jobs of an enqueue in the lines of their order keys.';
