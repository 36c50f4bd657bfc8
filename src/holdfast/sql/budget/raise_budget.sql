-- waiting -> ready: a person gives a run more money or units in all, and its jobs that waited for that go on.
create or replace function holdfast.raise_budget(
  run uuid, amount double precision, reason text default null, actor text default null, max_units double precision default null
)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
as $$
declare
  b       holdfast.run_budgets;
  readied integer;
begin
  -- Claims only try this lock, so whoever has it may wait for jobs.
  select t.* into b from holdfast.run_budgets as t where t.run_id = run for update;
  if not found and not exists (select from holdfast.runs as r where r.id = run) then
    perform holdfast.refuse('HF004', format('There is no run %s.', run), 'Look at holdfast.run_view for the runs there are.');
  elsif not found then
    perform holdfast.refuse('HF005', format('The run %s has no budget.', run), 'A budget is given when a run is started.');
  elsif amount is not null and b.max_money is null then
    perform holdfast.refuse('HF005', format('The run %s has no budget of money.', run), 'A budget is given when a run is started.');
  elsif max_units is not null and b.max_units is null then
    perform holdfast.refuse('HF005', format('The run %s has no max_units.', run), 'A budget is given when a run is started.');
  elsif amount is null and max_units is null
    or amount <= b.max_money or amount >= 'infinity'
    or max_units <= b.max_units or max_units >= 'infinity'
  then
    perform holdfast.refuse('HF002', 'A budget can only be raised: ' || holdfast.budget_words(holdfast.budget_of(run)), 'Give more than it is now; the amount is what the run may cost in all.');
  end if;
  update holdfast.run_budgets as t
  set max_money = coalesce(amount, b.max_money),
      max_units = coalesce(raise_budget.max_units, b.max_units),
      reached_at = null
  where t.run_id = run;
  readied := holdfast.unpark_run(run, 'raise_budget', reason);
  perform holdfast.record_event('raise_budget', run => run, actor => actor, reason => reason,
    detail => jsonb_build_object('amount', amount, 'max_units', max_units, 'before', b.max_money, 'max_units_before', b.max_units, 'jobs', readied));
  return readied;
end
$$;
comment on function holdfast.raise_budget(uuid, double precision, text, text, double precision)
  is 'Raises what a run may cost in all, and lets its jobs that waited for that go on; returns how many.';
