-- Returns whether a crash of the server may undo the claim of these jobs without harm.
-- True if none of them holds a permit of an endpoint, a place under a limit, or part of a budget: after a crash they
-- are simply ready again. Then the commit of the claim need not wait for the disk. Call it in a later statement than
-- the claim.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.may_be_lost(ids uuid[])
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  return not exists (
    select from holdfast.jobs as j
    where j.id = any (ids)
      and (j.in_flight_at_start is not null or j.is_limited or j.reserved is not null)
  );
end
$$;
