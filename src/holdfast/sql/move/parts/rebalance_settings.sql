-- The settings of a pair, by the keys of set_rebalance; null if there is no such pair.
create or replace function holdfast.rebalance_settings(of_from text, of_to text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object('ratio', r.ratio, 'least_depth', r.least_depth, 'max_jobs', r.max_jobs,
    'condition', r.condition::text)
  from holdfast.rebalance_pairs as r
  where r.from_queue = of_from and r.to_queue = of_to
$$;
