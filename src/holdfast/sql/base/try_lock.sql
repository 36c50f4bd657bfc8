-- Whether nobody else is at what one does at a time: locks its row, which no login can lock, until the transaction ends. Never waits.
create or replace function holdfast.try_lock(what text)
returns boolean
language plpgsql volatile
as $$
begin
  perform from holdfast.locks as k where k.name = what for update skip locked;
  return found;
end
$$;
comment on function holdfast.try_lock(text) is 'Whether nobody else is at what one does at a time; if so, it is the caller''s until the transaction ends.';
