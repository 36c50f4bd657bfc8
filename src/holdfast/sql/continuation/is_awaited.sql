-- Whether a continuation of these queues, group and run is already waiting for a later time, up to the one given.
create or replace function holdfast.is_awaited(queues text[], of_group text, run uuid, later timestamptz)
returns boolean
language sql stable
as $$
  select exists (
    select from holdfast.continuations as c
    where c.taken_at is null and c.closed_at is null and c.sent = 0
      and c.due_at > holdfast.now() and c.due_at <= later
      and c.queues = is_awaited.queues and c."group" = of_group and c.run_id is not distinct from run
  )
$$;
