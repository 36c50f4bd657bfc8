-- scheduled | waiting -> ready: jobs that are due, or whose time to wait is over.
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
comment on function holdfast.promote_jobs(integer) is 'Makes jobs ready that are due or whose time to wait is over; returns how many.';
