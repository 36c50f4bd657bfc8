-- Refuses a negative number of rows; null stands for any number.
create or replace function holdfast.check_count(name text, given integer)
returns void
language plpgsql immutable
as $$
begin
  if given < 0 then
    perform holdfast.refuse('HF002', format('%s must be a whole number of at least 0 (got %s).', name, given), 'Give how many rows at most; 0 gives none.');
  end if;
end
$$;
comment on function holdfast.check_count(text, integer) is 'Refuses a negative number of rows.';
