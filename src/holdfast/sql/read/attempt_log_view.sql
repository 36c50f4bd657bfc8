-- Every line that handlers wrote to their log, as far as it is kept: part, then line, in the order of writing.
create or replace view holdfast.attempt_log_view as
select
  l.job_id, l.attempt, l.id as part, n.line::integer as line, n.at, n.level, n.logger, n.message, l.saved_at
from holdfast.attempt_logs as l
cross join lateral unnest(l.times, l.levels, l.loggers, l.messages)
  with ordinality as n (at, level, logger, message, line);
