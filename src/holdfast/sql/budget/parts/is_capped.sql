-- Whether a run has a budget.
create or replace function holdfast.is_capped(run uuid)
returns boolean
language sql stable
as $$
  select exists (select from holdfast.run_budgets as b where b.run_id = run)
$$;
