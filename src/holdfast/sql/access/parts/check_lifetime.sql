-- Raises an error for a lifetime that is not within its bounds.
create or replace function holdfast.check_lifetime(lifetime interval, longest interval)
returns void
language plpgsql immutable
as $$
begin
  if lifetime is null or lifetime <= interval '0' or lifetime > longest then
    perform holdfast.refuse('HF002',
      format('lifetime must be more than 0 and at most %s (got %s).', longest, coalesce(lifetime::text, 'null')),
      'Pass for example ''10 minutes''.');
  end if;
end
$$;
