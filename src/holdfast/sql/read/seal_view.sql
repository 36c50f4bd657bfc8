-- The seals of the audit trail, one per finished day.
create or replace view holdfast.seal_view as
select s.day, s.events, s.after_id, s.through_id, s.digest, s.previous, s.seal, s.sealed_at, s.pruned_at
from holdfast.event_seals as s;
