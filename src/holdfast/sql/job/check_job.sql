-- Refuses one job of an enqueue whose settings do not fit; true otherwise.
create or replace function holdfast.check_job(
  i bigint, priority integer, max_failures integer, bytes integer, payload_limit integer, timeout interval, queue text
)
returns boolean
language sql volatile
as $$
  select case
    when priority between 0 and 100
      and coalesce(max_failures, 1) between 1 and 32767
      and bytes <= coalesce(payload_limit, 262144)
      and coalesce(timeout, '1 second') > '0'
      and length(queue) between 1 and 200
    then true
    when bytes > coalesce(payload_limit, 262144) then holdfast.refuse('HF001',
      format('The payload of job %s is refused: $ is %s bytes long, queue %s allows %s.', i - 1, bytes, queue, coalesce(payload_limit, 262144)),
      'Put large data elsewhere and send where it is, or raise the queue''s payload_limit.', '$')::boolean
    else holdfast.refuse('HF002',
      format('Job %s has a setting out of range: priority %s, max_failures %s, timeout %s, queue %s.', i - 1, priority, max_failures, timeout, queue),
      'Priority is 0 to 100, max_failures at least 1, a timeout more than nothing, a queue name 1 to 200 characters.')::boolean
  end
$$;
comment on function holdfast.check_job(bigint, integer, integer, integer, integer, interval, text) is 'Refuses one job of an enqueue whose settings do not fit.';
