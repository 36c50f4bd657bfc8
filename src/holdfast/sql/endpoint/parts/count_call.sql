-- Counts the end of a call and its units in the current second.
create or replace function holdfast.count_call(
  inout e holdfast.endpoints, what text, units double precision, took double precision
)
language plpgsql immutable
as $$
begin
  case what
    when 'ok' then
      e.second_ok := e.second_ok + 1;
      e.second_took := e.second_took + took;
    when 'bad' then
      e.second_failed := e.second_failed + 1;
    when 'rate_limited' then
      e.second_limited := e.second_limited + 1;
    else
      e.second_other := e.second_other + 1;
  end case;
  e.second_units := e.second_units + coalesce(units, 0);
end
$$;
