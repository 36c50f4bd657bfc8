-- Charges units of attempts to the budgets of their runs, each at the price of the endpoint that served it.
-- An element is what cost_of returns: run, lane, units.
create or replace function holdfast.record_costs(costs jsonb)
returns void
language sql volatile
as $$
  insert into holdfast.run_costs (run_id, money, units)
  select c.run, c.units * coalesce(e.price, 0), c.units
  from jsonb_to_recordset(costs) as c (run uuid, lane integer, units double precision)
  join holdfast.lanes as l on l.lane = c.lane
  left join holdfast.endpoints as e on e.name = l.endpoint
  where c.units <> 0
$$;
