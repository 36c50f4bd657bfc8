-- session -> (nothing): refuses a session from now on, and returns whether it was there.
-- hash is the SHA-256 of its secret. Secrets of keys and log-in links stay.
create or replace function holdfast.close_session(hash bytea)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  delete from holdfast.access_secrets as s where s.hash = close_session.hash and s.kind = 'session';
  return found;
end
$$;
