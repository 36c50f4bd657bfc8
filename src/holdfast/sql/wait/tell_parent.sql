-- Tells the parent of a locked run of children when what it waits for is there. False: somebody holds it, ask again.
create or replace function holdfast.tell_parent(run holdfast.runs)
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
    -- Nobody wants the others any more.
    perform holdfast.cancel_run(run.id, 'another child was first');
  end if;
  return true;
end
$$;
comment on function holdfast.tell_parent(holdfast.runs) is 'Tells the parent of a run of children when what it waits for is there; false if somebody holds it.';
