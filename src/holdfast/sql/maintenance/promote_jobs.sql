-- scheduled | waiting -> ready: readies jobs that are due, and jobs whose wait has timed out.
-- Claims promote due jobs too. Returns how many, at most max of each kind.
create or replace function holdfast.promote_jobs(max integer default 1000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.check_count('max', max);
  return holdfast.promote_due(holdfast.now(), max) + holdfast.end_waits(holdfast.now(), max);
end
$$;
