-- Raises an error for what is not the SHA-256 of a new secret.
create or replace function holdfast.check_access_hash(hash bytea)
returns void
language plpgsql stable
as $$
begin
  if octet_length(hash) is distinct from 32 then
    perform holdfast.refuse('HF002', 'hash must be the SHA-256 of the secret: 32 bytes.',
      'Pass sha256(secret), and keep the secret out of the database.');
  end if;
  if exists (select from holdfast.access_secrets as s where s.hash = check_access_hash.hash) then
    perform holdfast.refuse('HF005', 'An access key has this secret already.', 'Make a new random secret.');
  end if;
end
$$;
