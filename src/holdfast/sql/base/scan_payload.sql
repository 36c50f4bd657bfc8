-- Reads JSON text token by token and returns the path and problem of the first value that would not come back equal.
create or replace function holdfast.scan_payload(document text)
returns text
language plpgsql immutable parallel safe
as $$
declare
  max_depth constant integer := 64;
  token     text;
  part      text;
  path      text[] := '{$}';
  places    integer[] := '{0}';   -- per level: index in an array, or -1 in an object
  depth     integer := 0;
  key_next  boolean := false;
begin
  for token in
    select m[1]
    from regexp_matches(document, $re$("(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+)$re$, 'g') as m
  loop
    if token in ('{', '[') then
      depth := depth + 1;
      if depth > max_depth then
        return array_to_string(path[1:depth], '') || ' is nested deeper than 64 levels';
      end if;
      places[depth + 1] := case token when '[' then 0 else -1 end;
      path[depth + 1] := case token when '[' then '[0]' else '' end;
      key_next := token = '{';
    elsif token in ('}', ']') then
      depth := depth - 1;
      key_next := false;
    elsif token = ',' then
      if places[depth + 1] >= 0 then
        places[depth + 1] := places[depth + 1] + 1;
        path[depth + 1] := format('[%s]', places[depth + 1]);
      else
        key_next := true;
      end if;
    elsif token <> ':' then
      if key_next then
        path[depth + 1] := '.' || left(trim(both '"' from token), 100);
        key_next := false;
      end if;
      part := holdfast.value_problem(token);
      if part is not null then
        return array_to_string(path[1:depth + 1], '') || part;
      end if;
    end if;
  end loop;
  return null;
end
$$;
