-- A success in mode flow: measure, dip, then the running trial, else latency or growth.
create or replace function holdfast.steer(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, at_start integer,
  running integer, amount double precision
)
language plpgsql immutable
as $$
declare
  measured record;
  binding  boolean;
begin
  select * into measured from holdfast.measure(e, now, started, amount);
  e := measured.e;
  if now - e.last_cut > e.dip_after then
    e := holdfast.cut(e, now, u);
    e.dip_after := 600 * holdfast.jitter(u);
  end if;
  if e.trial_base is not null then
    e := holdfast.follow_trial(e, now, u, started, measured.y);
    return;
  end if;
  -- Only a limit that was reached may grow, and not if the rate was what held calls back.
  binding := greatest(at_start, running) >= floor(e.limit) and not (e.rate is not null and e.rate_clock - now >= 1);
  if holdfast.slowdown(e, started) > e.tolerance then
    e := holdfast.give_way(e, holdfast.slowdown(e, started));
  else
    e.slow_limit := null;
    e.slow_s := null;
    if binding then
      e := holdfast.grow(e, now);
    end if;
  end if;
  if binding then
    e := holdfast.start_trial(e, now, holdfast.slowdown(e, started));
  end if;
end
$$;
