-- (nothing) | declared -> declared: lets rebalancing move ready jobs from one queue to another, and sets when.
-- policy: ratio (3), least_depth (10 ready jobs), max_jobs (per round, 1000), condition (a JSON path predicate over the
-- payload that a job must satisfy, such as $.size == "medium"; none). Keys that are not given keep their values, null
-- restores the default. Returns the settings that changed, with their values before and after. The audit trail gets
-- one event with these, the reason, the actor and the login.
create or replace function holdfast.set_rebalance(
  from_queue text, to_queue text, policy jsonb default '{}', reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  p       constant jsonb := coalesce(policy, '{}');
  unknown text;
  old     jsonb;
begin
  perform holdfast.check_object('policy', policy);
  select k into unknown from jsonb_object_keys(p) as k
  where k <> all (array['ratio', 'least_depth', 'max_jobs', 'condition']);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('The rebalancing of two queues has no setting %s.', unknown),
      'Use ratio, least_depth, max_jobs, condition.');
  end if;
  if p ->> 'condition' is not null then
    perform holdfast.check_condition(p ->> 'condition');
  end if;
  perform holdfast.check_move(from_queue, to_queue);
  perform from holdfast.rebalance_pairs as r
  where r.from_queue = set_rebalance.from_queue and r.to_queue = set_rebalance.to_queue for update;
  old := holdfast.rebalance_settings(from_queue, to_queue);
  insert into holdfast.rebalance_pairs as r (from_queue, to_queue, ratio, least_depth, max_jobs, condition)
  values (from_queue, to_queue, coalesce((p ->> 'ratio')::double precision, 3),
    coalesce((p ->> 'least_depth')::integer, 10), coalesce((p ->> 'max_jobs')::integer, 1000),
    (p ->> 'condition')::jsonpath)
  on conflict on constraint rebalance_pairs_pkey do update
  set ratio = case when p ? 'ratio' then excluded.ratio else r.ratio end,
      least_depth = case when p ? 'least_depth' then excluded.least_depth else r.least_depth end,
      max_jobs = case when p ? 'max_jobs' then excluded.max_jobs else r.max_jobs end,
      condition = case when p ? 'condition' then excluded.condition else r.condition end;
  return query
    select * from holdfast.record_change('set_rebalance', 'rebalance', from_queue || ' -> ' || to_queue, old,
      holdfast.rebalance_settings(from_queue, to_queue), reason, actor);
exception
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the rebalancing from %s to %s is out of range: %s.', from_queue, to_queue,
        holdfast.setting_problem(sqlerrm)),
      hint = 'ratio must be more than 1, least_depth at least 1, and max_jobs 1 to 10,000.';
end
$$;
