-- Notes that a chore has just succeeded, and what it is to remember. While somebody holds its row, nothing is noted: the next round does.
create or replace function holdfast.note_chore(chore text, what jsonb default null)
returns void
language plpgsql volatile
as $$
begin
  perform from holdfast.chores as c where c.name = chore for update skip locked;
  if found then
    update holdfast.chores as c set succeeded_at = holdfast.now(), counts = coalesce(what, c.counts) where c.name = chore;
  else
    insert into holdfast.chores (name, succeeded_at, counts)
    select chore, holdfast.now(), coalesce(what, '{}')
    where not exists (select from holdfast.chores as c where c.name = chore)
    on conflict do nothing;
  end if;
end
$$;
comment on function holdfast.note_chore(text, jsonb) is 'Notes that a chore has just succeeded, and what it is to remember.';
