-- Every worker that was requested by callback, and whether it has started.
create or replace view holdfast.continuation_view as
select
  c.id, c.cause,
  case
    when c.taken_at is not null then 'taken'
    when c.closed_at is not null then 'closed'
    when c.sent_at is not null then 'sent'
    else 'asked'
  end as state,
  c.worker_id as worker, c.run_id as run, c."group", c.queues, c.link as index, c.claim_size, c.remaining, c.checkpoint,
  c.asked_at, c.due_at, c.sent_at, c.sent, c.error, c.taken_at, c.taken_by, c.closed_at
from holdfast.continuations as c;
