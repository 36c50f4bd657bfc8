-- Raises an error for a negative number of rows; null means no limit.
create or replace function holdfast.check_count(name text, given integer)
returns void
language plpgsql immutable
as $$
begin
  if given < 0 then
    perform holdfast.refuse('HF002', format('%s must be an integer of at least 0 (got %s).', name, given),
      'Pass the largest number of rows that the function may return or change.');
  end if;
end
$$;
