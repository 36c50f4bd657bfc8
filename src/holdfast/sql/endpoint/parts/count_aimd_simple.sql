-- Mode aimd_simple: 10 successes are one more, 2 errors in a row 70 %.
create or replace function holdfast.count_aimd_simple(inout e holdfast.endpoints, is_ok boolean)
language plpgsql immutable
as $$
begin
  if is_ok then
    e.errors := 0;
    e.successes := e.successes + 1;
    if e.successes = 10 then
      e.successes := 0;
      e.limit := holdfast.clamp_limit(e, e.limit + 1);
    end if;
    return;
  end if;
  e.errors := e.errors + 1;
  if e.errors = 2 then
    e.successes := 0;
    e.errors := 0;
    e.limit := holdfast.clamp_limit(e, 0.7 * e.limit);
  end if;
end
$$;
