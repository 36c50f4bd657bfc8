-- Starts a trial when calls are about as slow as tolerated: raises the limit by a quarter to compare throughput.
create or replace function holdfast.start_trial(inout e holdfast.endpoints, now double precision, s double precision)
language plpgsql immutable
as $$
declare
  target double precision;
begin
  target := greatest(e.limit + 1, 1.25 * e.limit);
  if e.by_units
    and e.rate is null
    and now >= e.next_trial
    and e.tolerance < 3
    and 0.93 * e.tolerance < s
    and s < 1.15 * e.tolerance
    and target < e.max_limit
    and (e.ceiling is null or target < e.ceiling)
  then
    e.trial_since := now;
    e.trial_base := e.limit;
    e.trial_y := e.recent;
    e.trial_n := 0;
    e.trial_sum := 0;
    e.limit := target;
  end if;
end
$$;
