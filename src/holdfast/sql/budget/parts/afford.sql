-- Reserves the expected cost of one start from its run's budget: yes, wait or park. wait, too, if the row is locked.
create or replace function holdfast.afford(run uuid, money double precision, units double precision)
returns text
language plpgsql volatile
as $$
declare
  b       holdfast.run_budgets;
  verdict text;
  here    constant text := pg_current_xact_id() || ' ' || statement_timestamp();
begin
  select t.* into b from holdfast.run_budgets as t where t.run_id = run for update skip locked;
  if not found then
    return 'wait';
  end if;
  if b.counted_in is distinct from here then
    -- One statement, one snapshot: each attempt is counted once, as running or as settled.
    with settled as (
      delete from holdfast.run_costs as c where c.run_id = run returning c.money, c.units
    )
    select
      b.spent + coalesce(sum(s.money), 0), b.used + coalesce(sum(s.units), 0),
      (select coalesce(sum(j.reserved), 0)
       from holdfast.jobs as j
       where j.run_id = run and j.state = 'running' and j.reserved is not null),
      (select coalesce(sum(coalesce(j.reserved_units, j.estimate)), 0)
       from holdfast.jobs as j
       where j.run_id = run and j.state = 'running' and j.reserved is not null)
    into b.spent, b.used, b.reserved, b.reserved_units
    from settled as s;
    b.counted_in := here;
  end if;
  verdict := holdfast.budget_verdict(b, money, units);
  update holdfast.run_budgets as t
  set spent = b.spent, used = b.used, counted_in = b.counted_in,
      reserved = b.reserved + case verdict when 'yes' then money else 0 end,
      reserved_units = b.reserved_units + case verdict when 'yes' then units else 0 end
  where t.run_id = run;
  return verdict;
end
$$;
