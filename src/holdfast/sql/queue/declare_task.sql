-- (nothing) -> declared: makes a task if there is none, and sets all its defaults.
-- policy: queue, priority, max_failures, retry, timeout, endpoint, max_concurrent, rate. A key that is not given is
-- cleared, unlike in declare_queue: the code of the app is the whole truth about its tasks. Writes an event only if a
-- setting changed.
create or replace function holdfast.declare_task(name text, policy jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  nothing constant jsonb := '{"queue": null, "priority": null, "max_failures": null, "retry": null, "timeout": null,
    "endpoint": null, "max_concurrent": null, "rate": null}';
begin
  perform holdfast.check_object('policy', policy);
  perform holdfast.configure_task('declare_task', name, nothing || coalesce(policy, '{}'), null, null);
end
$$;
