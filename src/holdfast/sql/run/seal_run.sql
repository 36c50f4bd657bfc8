-- open -> sealed: no more jobs; waits for producers that are still adding. A sealed run can end.
create or replace function holdfast.seal_run(run uuid)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  update holdfast.runs as r
  set sealed_at = coalesce(r.sealed_at, holdfast.now())
  where r.id = run;
  if not found then
    perform holdfast.refuse('HF004', format('There is no run %s.', run), 'Look at holdfast.run_view for the runs there are.');
  end if;
  return holdfast.fold_run(run);
end
$$;
comment on function holdfast.seal_run(uuid) is 'Says that the last job of a run is in; true if the run has ended with that.';
