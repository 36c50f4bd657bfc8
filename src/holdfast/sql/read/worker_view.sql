-- Every worker with its lease, as people see it.
create or replace view holdfast.worker_view as
select
  w.id, w."group", w.queues, w.tasks,
  case when w.state <> 'stopped' and w.lease_until < holdfast.now() then 'lost' else w.state end as state,
  w.slots, w.running, w.processed, w.failed, w.released, w.host, w.pid, w.version, w.started_at, w.renewed_at, w.lease_until, w.stopped_at,
  coalesce(w.stopped_at, least(holdfast.now(), w.lease_until)) - w.started_at as life_span,
  w.rescued_at, w.drain_asked, w.metadata, w.run_id as run, w.claim_size, w.box_until, w.link as index
from holdfast.workers as w;
comment on view holdfast.worker_view is 'Every worker with its lease; lost is one whose lease has ended.';
