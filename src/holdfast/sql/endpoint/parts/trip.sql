-- closed -> open: an outage. before is the limit to recover, which a cut just before the trip must not lower.
create or replace function holdfast.trip(inout e holdfast.endpoints, now double precision, u double precision)
language plpgsql immutable
as $$
begin
  e := holdfast.give_up_trial(e);
  e.before := case when now - e.last_cut < 60 then greatest(e.limit, e.before) else e.limit end;
  e.ceiling := null;
  e.open_for := e.open_first;
  e := holdfast.open_circuit(e, now, u);
end
$$;
