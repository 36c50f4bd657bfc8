-- A caller's array as a list that starts at 1: an array of SQL may start at another number, or be a matrix.
create or replace function holdfast.renumber(elements anyarray)
returns anyarray
language plpgsql immutable strict parallel safe
as $$
begin
  if array_lower(elements, 1) <> 1 or array_ndims(elements) > 1 then
    return array(select e from unnest(elements) as e);
  end if;
  return elements;
end
$$;
