-- When each chore last succeeded, whoever did it, and who keeps others from doing it just now.
create or replace view holdfast.chore_view as
select c.name, c.succeeded_at, k.held_by
from holdfast.chores as c
left join holdfast.lock_view as k on k.name = c.name;
comment on view holdfast.chore_view
  is 'When each chore last succeeded, whoever did it, noted every ten seconds or more; and the process that is at it, for those that one does at a time.';
