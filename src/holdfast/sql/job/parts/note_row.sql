-- A row of settle_and_claim that is not a claimed job.
create or replace function holdfast.note_row(what text, wait interval, job uuid default null, mark uuid default null)
returns table (
  kind text, job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer,
  losses integer, priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb,
  order_key text, started_at timestamptz, ready_at timestamptz, stop_after interval, endpoint text, due_in interval,
  trace jsonb
)
language sql immutable
as $$
  select what, job, mark, null::text, null::text, null::json, null::integer, null::integer, null::integer,
    null::integer, null::uuid, null::text, null::integer, null::integer, null::jsonb, null::text,
    null::timestamptz, null::timestamptz, null::interval, null::text, wait, null::jsonb
$$;
