-- The character at which PostgreSQL stops reading an invalid jsonpath; its error does not say that.
-- The shortest beginning with the same error ends with the fault. An error at the end is after the last character.
create or replace function holdfast.fault_position(condition text, message text)
returns integer
language plpgsql immutable
as $$
declare
  parsed jsonpath;
begin
  if message like '%at end of jsonpath input' then
    return length(condition) + 1;
  end if;
  for n in 1 .. length(condition) loop
    begin
      parsed := left(condition, n)::jsonpath;
    exception
      when others then
        if sqlerrm = message then
          return n - coalesce(length(substring(message from 'at or near "(.*)" of jsonpath')), 1) + 1;
        end if;
    end;
  end loop;
  return 1;
end
$$;
