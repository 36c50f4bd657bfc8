-- Every call of a model or tool that jobs recorded with save_call.
create or replace view holdfast.call_view as
select
  c.job_id, c.generation, c.visit, c.seq, c.attempt, c.kind, c.name, c.units, c.seconds, c.finish_reason,
  c.argument_bytes, c.error, c.at, c.cost
from holdfast.calls as c;
