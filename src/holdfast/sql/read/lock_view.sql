-- Each action that runs once at a time, and the process that runs it now.
create or replace view holdfast.lock_view as
select k.name, h.pid as held_by
from holdfast.locks as k
-- xmax of the row is the transaction that locked it last; while that is open it holds a lock on its own id.
left join pg_locks as h on h.locktype = 'transactionid'
  and h.transactionid = k.xmax
  and h.mode = 'ExclusiveLock'
  and h.granted;
