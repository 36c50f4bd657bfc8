-- A call failed: updates limit and circuit, and may block for a while. counts: whether the job is to blame.
create or replace function holdfast.call_failed(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, at_start integer,
  was_probe boolean, estimate double precision, tries integer, max_failures integer, last_try double precision,
  out counts boolean
)
language plpgsql immutable
as $$
begin
  e := holdfast.leave_call(e, was_probe, estimate);
  -- After many tries a job is to blame if a call was answered well since its last try: that call was another job's.
  -- During an outage there is no such answer.
  counts := tries >= 4 * max_failures and coalesce(e.last_ok > last_try, false);
  -- A call that started before the probe that closed the circuit is a late failure of the outage: ignored.
  if e.circuit = 'closed' and (was_probe or started < e.last_probe) then
    return;
  end if;
  e.streak := e.streak + 1;
  -- An isolated failure counts, too.
  counts := counts or e.circuit = 'closed' and e.streak = 1;
  if e.circuit = 'half_open' and was_probe then
    e.open_for := least(e.open_max, 1.5 * e.open_for);
    e := holdfast.open_circuit(e, now, u);
  elsif e.circuit = 'closed' then
    e := case e.mode
      when 'flow' then holdfast.suspect(e, now, u, started, at_start)
      when 'aimd' then holdfast.count_aimd(e, false)
      when 'aimd_simple' then holdfast.count_aimd_simple(e, false)
      else e
    end;
    if e.streak >= e.trip_failures and now - e.last_ok >= e.trip_quiet then
      e := holdfast.trip(e, now, u);
    elsif e.streak >= 2 then
      e.blocked_until := greatest(e.blocked_until,
        now + least(10, power(2, least(4, e.streak - 2))) * holdfast.jitter(u));
    end if;
  end if;
end
$$;
