-- Tries to lock an action that runs once at a time, until the transaction ends; false if another transaction has it.
-- A row lock on a private table, which no login can take, unlike an advisory lock.
create or replace function holdfast.try_lock(what text)
returns boolean
language plpgsql volatile
as $$
begin
  perform from holdfast.locks as k where k.name = what for update skip locked;
  return found;
end
$$;
