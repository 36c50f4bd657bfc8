-- Whether a job, live or ended, matches a filter. Shared by lists and bulk actions; age is a bound on ids instead.
-- Holdfast's own jobs match only a filter that names their queue: an action on all jobs does not mean them.
create or replace function holdfast.job_matches(
  filter jsonb, state text, queue text, task text, run uuid, labels jsonb, attempt integer, failures integer,
  priority smallint, worker uuid, order_key text, unique_scope text, unique_key text, login_id integer, origin text,
  claimed_actor text
)
returns boolean
language sql immutable parallel safe
as $$
  select coalesce(
    (not filter ? 'state' or state = filter ->> 'state')
      and case when filter ? 'queue' then queue = filter ->> 'queue' else not holdfast.is_reserved(queue) end
      and (not filter ? 'task' or task = filter ->> 'task')
      and (not filter ? 'run' or run = (filter ->> 'run')::uuid)
      and (not filter ? 'labels' or labels @> (filter -> 'labels'))
      and (not filter ? 'attempt' or attempt >= (filter ->> 'attempt')::integer)
      and (not filter ? 'failures' or failures >= (filter ->> 'failures')::integer)
      and (not filter ? 'priority' or priority = (filter ->> 'priority')::integer)
      and (not filter ? 'worker' or worker = (filter ->> 'worker')::uuid)
      and (not filter ? 'order_key' or order_key = filter ->> 'order_key')
      and (not filter ? 'unique_key' or unique_key = filter ->> 'unique_key')
      and (not filter ? 'unique_scope' or unique_scope = filter ->> 'unique_scope')
      and (not filter ? 'origin' or coalesce(origin, 'automatic') = filter ->> 'origin')
      and (not filter ? 'actor' or coalesce(claimed_actor = filter ->> 'actor', false)
        or coalesce(filter -> 'logins' @> to_jsonb(login_id), false)),
    false
  )
$$;
