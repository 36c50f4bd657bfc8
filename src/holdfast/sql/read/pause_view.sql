-- The pause of all queues; no row if there is none.
create or replace view holdfast.pause_view as
select p.paused_at, p.reason, p.actor from holdfast.full_pause as p;
