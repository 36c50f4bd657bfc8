-- Every worker with its lease. State lost means that the lease ended without a renewal.
create or replace view holdfast.worker_view as
select
  w.id, w."group", w.queues, w.tasks,
  case when w.state <> 'stopped' and w.lease_until < holdfast.now() then 'lost' else w.state end as state,
  w.slots, w.running, w.processed, w.failed, w.released, w.host, w.pid, w.version, w.started_at, w.renewed_at,
  w.lease_until, w.stopped_at, coalesce(w.stopped_at, least(holdfast.now(), w.lease_until)) - w.started_at as life_span,
  w.rescued_at, w.drain_asked, w.metadata, w.run_id as run, w.claim_size, w.box_until, w.link as index,
  w.slots_from, w.claim_size_from, w.memory, w.cpu, w.loop_lag
from holdfast.workers as w;
