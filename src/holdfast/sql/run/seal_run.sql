-- open -> sealed: no more jobs can be added, so that the run can end.
-- Waits for open transactions that are adding jobs to the run. Returns true if that ended the run, because all its
-- jobs had ended already.
-- plan: no seqscan
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
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  end if;
  return holdfast.fold_run(run);
end
$$;
