-- Books what jobs that ended together used against their runs' budgets.
create or replace function holdfast.record_costs(costs jsonb)
returns void
language sql volatile
as $$
  select holdfast.record_cost(c.run, c.lane, c.units)
  from jsonb_to_recordset(costs) as c (run uuid, lane integer, units double precision)
$$;
comment on function holdfast.record_costs(jsonb) is 'Books what jobs that ended together used against their runs'' budgets.';
