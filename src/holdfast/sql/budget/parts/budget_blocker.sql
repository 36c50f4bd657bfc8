-- Why the budget of its run keeps a job from starting; no row if it does not.
create or replace function holdfast.budget_blocker(job holdfast.jobs, at timestamptz)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language plpgsql stable
as $$
declare
  e holdfast.endpoints;
  b holdfast.run_budgets;
  units double precision;
begin
  if job.run_id is null or not holdfast.is_capped(job.run_id) then
    return;
  end if;
  select s.* into e from holdfast.serving_endpoint(job.lane, at) as s;
  b := holdfast.budget_of(job.run_id);
  units := coalesce(job.estimate, e.estimate, 0);
  if job.waits_for = 'budget' or holdfast.budget_verdict(b, units * coalesce(e.price, 0), units) <> 'yes' then
    return query select 'run_budget', holdfast.budget_words(b), null::timestamptz, true;
  end if;
end
$$;
