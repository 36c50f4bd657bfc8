-- The pairs of queues between which rebalancing moves jobs, as set_rebalance declared them.
-- moved_at: when a round last moved jobs of the pair.
create or replace view holdfast.rebalance_view as
select r.from_queue, r.to_queue, r.ratio, r.least_depth, r.max_jobs, r.condition::text as condition, r.moved_at
from holdfast.rebalance_pairs as r;
