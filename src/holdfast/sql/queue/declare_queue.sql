-- (nothing) -> declared: makes a queue if there is none, and sets the given keys of its policy.
-- policy: priority, max_failures, max_losses, retry, timeout, max_wait, rescue_delay, cancel_grace, ageing, weight,
-- detail (audit trail: off, basic or full), logs (of handlers: off, errors or all), retention, payload_limit, endpoint,
-- notify, max_concurrent, rate. Keys that are not given keep their values. Writes an event only if a setting changed.
-- With policy null the queue is only named, as by an enqueue, and is removed again after 30 days without use.
create or replace function holdfast.declare_queue(name text, policy jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  perform holdfast.configure_queue('declare_queue', name, policy, null, null);
end
$$;
