-- Appends the jobs of a call to their order keys: the keys sorted against deadlocks, jobs of a key as given.
-- plan: no nestloop, no mergejoin
create or replace function holdfast.join_orders(
  ids uuid[], made boolean[], keys text[], out seqs bigint[], out heads boolean[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  -- How many jobs join the keys that several of them share.
  many constant jsonb := (
    select jsonb_object_agg(key, jobs)
    from (
      select key, count(*) as jobs
      from rows from (unnest(keys), unnest(made)) as u (key, is_made)
      where key is not null and is_made is not false
      group by key
      having count(*) > 1
    ) as shared
  );
begin
  with joined as materialized (
    select
      i, id, key,
      row_number() over (partition by key order by i) as place,
      count(*) over (partition by key) as jobs
    from rows from (unnest(ids), unnest(keys), unnest(made)) with ordinality as u (id, key, is_made, i)
    where key is not null and is_made is not false
  ), lines as (
    -- Locks the rows of the keys until commit, so that the order is commit order.
    insert into holdfast.order_keys as k (key, head, last_seq)
    -- A key that was removed and returns must number above its last job: the clock gives a higher number.
    select key, id, (1000000 * extract(epoch from clock_timestamp()))::bigint + jobs - 1
    from joined
    where place = 1
    order by key collate "C"
    on conflict (key) do update
      set last_seq = k.last_seq + coalesce((many ->> excluded.key)::bigint, 1)
    returning k.key, k.last_seq, k.head
  )
  select array_agg(l.last_seq - j.jobs + j.place order by u.i), array_agg(l.head = j.id order by u.i)
  into seqs, heads
  from generate_series(1, cardinality(ids)) as u (i)
  left join (joined as j join lines as l on l.key = j.key) on j.i = u.i;
end
$$;
