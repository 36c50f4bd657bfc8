-- Mode aimd: every 10 outcomes, more than 95 % good is one more, less than 80 % is half.
create or replace function holdfast.count_aimd(inout e holdfast.endpoints, is_ok boolean)
language plpgsql immutable
as $$
begin
  e.successes := e.successes + is_ok::integer;
  e.errors := e.errors + (not is_ok)::integer;
  if e.successes + e.errors < 10 then
    return;
  end if;
  if e.successes > 9.5 then
    e.limit := holdfast.clamp_limit(e, e.limit + 1);
  elsif e.successes < 8 then
    e.limit := holdfast.clamp_limit(e, 0.5 * e.limit);
  end if;
  e.successes := 0;
  e.errors := 0;
end
$$;
