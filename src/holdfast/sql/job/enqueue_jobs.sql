-- (nothing) -> ready | scheduled | waiting: stores jobs, all or none, in the caller's transaction.
create or replace function holdfast.enqueue_jobs(
  tasks    text[],
  payloads json[],
  options  jsonb default '{}',
  each     jsonb[] default null
)
returns table (job_id uuid, created boolean)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  n       integer := cardinality(payloads);
  ids     uuid[];
  made    boolean[];
  seqs    bigint[];
  heads   boolean[];
begin
  perform holdfast.check_object('options', options);
  if coalesce(n, 0) = 0 then
    return;
  end if;
  if options ? 'pipeline' or each::text like '%"pipeline%' then
    select o.tasks, o.options, o.each into tasks, options, each from holdfast.enter_options(n, tasks, options, each) as o;
  end if;
  perform holdfast.check_enqueue(tasks, payloads, options, each);
  ids := holdfast.new_ids(holdfast.now(), n);
  if each is null and cardinality(tasks) = 1 and not options ?| array['unique_key', 'order_key', 'stagger'] then
    if options ? 'run' then
      perform holdfast.join_runs(null, options, null, n);
    end if;
    perform holdfast.insert_alike(ids, tasks[1], payloads, options);
    return query select i, true from unnest(ids) as i;
    return;
  end if;

  if cardinality(tasks) = 1 and n > 1 then
    tasks := array_fill(tasks[1], array[n]);
  end if;
  if options ? 'unique_key' or each::text like '%unique_key%' then
    select u.ids, u.made into ids, made from holdfast.reserve_keys(ids, tasks, payloads, options, each) as u;
  end if;
  if options ? 'order_key' or each::text like '%order_key%' then
    select o.seqs, o.heads into seqs, heads from holdfast.join_orders(ids, made, options, each) as o;
  end if;
  if options ? 'run' or each::text like '%"run%' then
    perform holdfast.join_runs(made, options, each, n);
  end if;
  perform holdfast.insert_jobs(ids, made, seqs, heads, tasks, payloads, options, each);

  return query
    select i, coalesce(made[o], true)
    from unnest(ids) with ordinality as u (i, o)
    order by o;
end
$$;
comment on function holdfast.enqueue_jobs(text[], json[], jsonb, jsonb[])
  is 'Stores jobs, all or none, and returns their ids in order; options are for all, each[i] for job i. A unique key may give an earlier job (created is false).';
