-- Why a run does not go on: what it has of its budget, if that is used up or too small for a job of it. Null: it goes on.
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
comment on function holdfast.run_blocker(uuid) is 'Why a run does not go on until its budget is raised, in words; null if it goes on.';
