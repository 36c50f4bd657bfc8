-- Raises an error if one of these names is reserved; true otherwise.
create or replace function holdfast.refuse_reserved(variadic names text[])
returns boolean
language plpgsql volatile
as $$
declare
  reserved constant text := (select n from unnest(names) as n where holdfast.is_reserved(n) limit 1);
begin
  if reserved in ('.', '..') then
    perform holdfast.refuse('HF002',
      format('The name "%s" is not allowed, because it cannot be part of a URL.', reserved),
      'Choose a name that is neither "." nor "..".');
  elsif reserved is not null then
    perform holdfast.refuse('HF002', format('The name %s is reserved for Holdfast''s own jobs.', left(reserved, 200)),
      'Choose a name that is not holdfast and does not begin with "holdfast.".');
  end if;
  return true;
end
$$;
