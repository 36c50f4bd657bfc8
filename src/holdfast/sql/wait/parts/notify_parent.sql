-- Resumes the parent of a locked run of children once its wait is over. False if the parent's row is locked: try again.
create or replace function holdfast.notify_parent(run holdfast.runs)
returns boolean
language plpgsql volatile
as $$
declare
  is_first constant boolean := run.wait = 'first' and run.completed > 0 and run.sealed_at is not null;
begin
  if run.ended_at is not null or not is_first and not holdfast.run_is_done(run) then
    return true;
  elsif not holdfast.resume_parent(run) then
    return false;
  end if;
  if is_first and run.cancelled_at is null and not holdfast.run_is_done(run) then
    -- The parent needs the first only.
    perform holdfast.cancel_run(run.id, 'another child was first');
  end if;
  return true;
end
$$;
