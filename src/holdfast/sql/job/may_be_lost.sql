-- Whether a crash of the database may undo the claim of these jobs: they hold no permit, no place under a limit, no part of a budget.
-- The caller's own claim must have been made by an earlier statement or command; volatile, so that it is seen.
create or replace function holdfast.may_be_lost(ids uuid[])
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  return not exists (
    select from holdfast.jobs as j
    where j.id = any (ids)
      and (j.in_flight_at_start is not null or j.is_limited or j.reserved is not null)
  );
end
$$;
comment on function holdfast.may_be_lost(uuid[])
  is 'Whether a crash of the database may undo the claim of these jobs, because nobody counts on it: no endpoint, no limit, no budget. They are ready again then.';
