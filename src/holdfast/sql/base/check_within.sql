-- Raises an error for a time that a maintenance task must not work for.
create or replace function holdfast.check_within(within interval)
returns void
language plpgsql immutable
as $$
begin
  if within is null or within not between interval '0' and interval '1 minute' then
    perform holdfast.refuse('HF002', format('within must be between 0 and 1 minute (got %s).',
        coalesce(within::text, 'null')),
      'Pass how long the maintenance task may work.');
  end if;
end
$$;
