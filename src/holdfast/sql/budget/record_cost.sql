-- Books what an attempt used against its run's budget, at the price of the endpoint that its permit was on.
create or replace function holdfast.record_cost(run uuid, of_lane integer, units double precision)
returns void
language sql volatile
as $$
  insert into holdfast.run_costs (run_id, money, units)
  select run, units * coalesce(e.price, 0), units
  from holdfast.lanes as l
  left join holdfast.endpoints as e on e.name = l.endpoint
  where l.lane = of_lane
    and units <> 0
$$;
comment on function holdfast.record_cost(uuid, integer, double precision) is 'Books what an attempt used against its run''s budget.';
