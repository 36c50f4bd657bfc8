-- When each maintenance task last succeeded on any worker, and the process that is doing it now.
create or replace view holdfast.maintenance_view as
select c.name, c.succeeded_at, k.held_by
from holdfast.chores as c
left join holdfast.lock_view as k on k.name = c.name;
