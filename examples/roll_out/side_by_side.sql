-- Beside the old table, which stays as it is: the rows that Holdfast has got.
create table handed_over (message bigint primary key, job uuid not null);

create function hand_over() returns trigger
language plpgsql
as $$
begin
  if holdfast.in_rollout('new-worker', new.username) then
    insert into handed_over (message, job)
    values (new.id, holdfast.enqueue('answer', json_build_object('message', new.id)));
  end if;
  return null;
end
$$;

create trigger hand_over after insert on chat_messages for each row execute function hand_over();
