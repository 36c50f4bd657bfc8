-- asked -> asked: the callback failed, so that whoever looks next sends it again.
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
comment on function holdfast.fail_continuation(uuid, text) is 'Says that the callback of a continuation failed; false if a worker has taken it all the same.';
