-- Returns why the budget holds a run back, as a sentence; null if it does not.
-- The sentence names what is spent and reserved, and which verb lets the run continue: raise_budget or extend_run.
create or replace function holdfast.run_blocker(run uuid)
returns text
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.budget_words(holdfast.budget_of(t.run_id))
  from holdfast.run_budgets as t
  join holdfast.runs as r on r.id = t.run_id and r.ended_at is null
  where t.run_id = run
    and t.reached_at is not null
$$;
