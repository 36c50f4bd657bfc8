-- waiting -> ready: raises the total that a run may cost, and readies its jobs that waited for that.
-- amount and max_units are new totals, not additions; null keeps the present one. Returns how many jobs became ready.
-- plan: no jit
create or replace function holdfast.raise_budget(
  run uuid, amount double precision, reason text default null, actor text default null,
  max_units double precision default null
)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  b       holdfast.run_budgets;
  readied integer;
begin
  -- Claims skip this lock, so waiting for jobs while holding it cannot deadlock.
  select t.* into b from holdfast.run_budgets as t where t.run_id = run for update;
  if not found and not exists (select from holdfast.runs as r where r.id = run) then
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  elsif not found then
    perform holdfast.refuse('HF005', format('The run %s has no budget.', run),
      'Give the budget when you start a run. A run without a budget cannot get one later.');
  elsif amount is not null and b.max_money is null then
    perform holdfast.refuse('HF005', format('The run %s has no budget in money.', run),
      'Give the budget when you start a run. A run without a budget cannot get one later.');
  elsif max_units is not null and b.max_units is null then
    perform holdfast.refuse('HF005', format('The run %s has no max_units.', run),
      'Give max_units when you start a run. A run without max_units cannot get it later.');
  elsif amount is null and max_units is null
    or amount <= b.max_money or amount >= 'infinity'
    or max_units <= b.max_units or max_units >= 'infinity'
  then
    perform holdfast.refuse('HF002',
      format('Each new total must be more than the present one (present amount: %s, present max_units: %s).',
        coalesce(b.max_money::text, 'not set'), coalesce(b.max_units::text, 'not set')),
      'Pass amount, max_units or both: each is a total for the whole run, including what the run has already used.');
  end if;
  update holdfast.run_budgets as t
  set max_money = coalesce(amount, b.max_money),
      max_units = coalesce(raise_budget.max_units, b.max_units),
      reached_at = null
  where t.run_id = run;
  readied := holdfast.unpark_run(run, 'raise_budget', reason);
  perform holdfast.record_event('raise_budget', run => run, actor => actor, reason => reason,
    detail => jsonb_build_object('amount', amount, 'max_units', max_units, 'before', b.max_money,
      'max_units_before', b.max_units, 'jobs', readied));
  return readied;
end
$$;
