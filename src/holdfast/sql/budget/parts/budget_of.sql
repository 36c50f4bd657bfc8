-- The budget of a run with all settled and reserved costs.
create or replace function holdfast.budget_of(run uuid)
returns holdfast.run_budgets
language plpgsql stable
as $$
declare
  b holdfast.run_budgets;
begin
  select t.* into b from holdfast.run_budgets as t where t.run_id = run;
  select b.spent + coalesce(sum(c.money), 0), b.used + coalesce(sum(c.units), 0) into b.spent, b.used
  from holdfast.run_costs as c
  where c.run_id = run;
  select coalesce(sum(j.reserved), 0), coalesce(sum(coalesce(j.reserved_units, j.estimate)), 0)
  into b.reserved, b.reserved_units
  from holdfast.jobs as j
  where j.run_id = run and j.state = 'running' and j.reserved is not null;
  return b;
end
$$;
