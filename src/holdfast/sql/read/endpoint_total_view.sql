-- Calls of every endpoint since it was first named, with their units, seconds and money. These figures never fall.
-- seconds: what successful calls took. cost: units at the price when they were used.
create or replace view holdfast.endpoint_total_view as
select
  e.name, e.starts as started,
  (e.totals).ok + e.second_ok as ok,
  (e.totals).failed + e.second_failed as failed,
  (e.totals).limited + e.second_limited as limited,
  (e.totals).other + e.second_other as other,
  (e.totals).units + e.second_units as units,
  (e.totals).took + e.second_took as seconds,
  (e.totals).cost + e.second_units * e.price as cost
from holdfast.endpoints as e;
