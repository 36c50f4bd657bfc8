-- Charges units of attempts to the budgets of their runs, each at the price of the endpoint that served it.
-- An element is what cost_of returns: run, lane, units.
create or replace function holdfast.record_costs(costs jsonb)
returns void
language sql volatile
as $$
  insert into holdfast.run_costs (run_id, money, units)
  select c.run, c.units * coalesce(e.price, 0), c.units
  from jsonb_to_recordset(costs) as c (run uuid, lane integer, units double precision)
  -- offset 0: one look by key for each, also below a function that forbids nested loops.
  cross join lateral (select o.endpoint from holdfast.lanes as o where o.lane = c.lane offset 0) as l
  left join lateral (select o.price from holdfast.endpoints as o where o.name = l.endpoint offset 0) as e on true
  where c.units <> 0
$$;
