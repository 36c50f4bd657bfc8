-- asked -> asked: records that the callback for a new worker failed, so that it is sent again.
-- The next call of lost_continuations returns the continuation again. Returns false if a worker has started from it
-- after all.
create or replace function holdfast.fail_continuation(continuation uuid, error text)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  update holdfast.continuations as c
  set sent_at = null, error = left(holdfast.sanitise_text(error), 2000)
  where c.id = continuation and c.taken_at is null and c.closed_at is null;
  return found;
end
$$;
