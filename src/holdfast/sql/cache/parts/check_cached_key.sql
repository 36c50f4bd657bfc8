-- Raises HF002 for a scope or key that a cached value cannot have.
create or replace function holdfast.check_cached_key(scope text, key text)
returns void
language plpgsql stable
as $$
begin
  if coalesce(length(scope), 0) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The scope of a cached value must have 1 to 200 characters.',
      'To use the name of the task, leave out the scope.');
  end if;
  if coalesce(octet_length(key), 0) not between 1 and 1000 then
    perform holdfast.refuse('HF002',
      format('The key of a cached value must have 1 to 1000 bytes (got %s).', coalesce(octet_length(key), 0)),
      'Use a short key, or the hash of a long one.');
  end if;
end
$$;
