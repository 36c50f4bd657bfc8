-- Whether a run's budget covers another start: yes, wait (for what running jobs leave) or park (until it is raised).
create or replace function holdfast.budget_verdict(b holdfast.run_budgets, money double precision,
  units double precision)
returns text
language sql stable
as $$
  select case
    when b.stops_at <= holdfast.now() then 'park'
    when b.spent >= b.max_money or b.spent + money > b.max_money
      or b.used >= b.max_units or b.used + units > b.max_units then 'park'
    when b.spent + b.reserved >= b.max_money or b.spent + b.reserved + money > b.max_money
      or b.used + b.reserved_units >= b.max_units or b.used + b.reserved_units + units > b.max_units then 'wait'
    else 'yes'
  end
$$;
