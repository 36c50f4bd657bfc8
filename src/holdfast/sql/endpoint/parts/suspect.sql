-- A failure of a call that started after the last cut is evidence of overload; enough of it sets a ceiling and cuts.
create or replace function holdfast.suspect(
  inout e holdfast.endpoints, now double precision, u double precision, started double precision, at_start integer
)
language plpgsql immutable
as $$
begin
  if started < e.last_cut then
    return;
  end if;
  e.evidence := e.evidence + 2;
  if e.evidence >= 3 then
    e := holdfast.remember_ceiling(e, now, u, at_start);
    e := holdfast.cut(e, now, u);
  end if;
end
$$;
