-- What one does at a time, and which process is at it.
create or replace view holdfast.lock_view as
select k.name, h.pid as held_by
from holdfast.locks as k
-- The row carries the transaction that locked it last; one that is open holds a lock on its own number.
left join pg_locks as h on h.locktype = 'transactionid' and h.transactionid = k.xmax and h.mode = 'ExclusiveLock' and h.granted;
comment on view holdfast.lock_view is 'What one does at a time, and the process whose open transaction is at it; null: none.';
