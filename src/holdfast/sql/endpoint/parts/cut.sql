-- Cuts the limit to three quarters; it grows fast to nearly the old level. Ends a trial.
create or replace function holdfast.cut(inout e holdfast.endpoints, now double precision, u double precision)
language plpgsql immutable
as $$
begin
  e := holdfast.give_up_trial(e);
  e.next_trial := greatest(e.next_trial, now + 180 * holdfast.jitter(u));
  if now - e.last_cut > 60 then
    e.before := e.limit;
  end if;
  e.slow_start_until := greatest(2, 0.9 * e.before);
  e.limit := greatest(e.min_limit, 0.75 * e.limit);
  e.last_cut := now;
  e.evidence := 0;
end
$$;
