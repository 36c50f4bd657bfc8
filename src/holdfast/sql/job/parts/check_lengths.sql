-- Raises an error for an array of options that does not have one element per job.
create or replace function holdfast.check_lengths(n integer, lengths jsonb)
returns void
language plpgsql immutable
as $$
declare
  wrong record;
begin
  select l.key as name, l.value as length into wrong from jsonb_each(lengths) as l where l.value <> to_jsonb(n) limit 1;
  if found then
    perform holdfast.refuse('HF002',
      format('The arrays must have the same length (got %s payloads, but %s elements in %s).',
        n, wrong.length, wrong.name),
      'Pass each option as null, or as an array with one element per payload.');
  end if;
end
$$;
