-- Raises an error if a setting of one job of an enqueue is out of range; true otherwise.
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
      and not holdfast.is_reserved(queue)
    then true
    when holdfast.is_reserved(queue) then holdfast.refuse_reserved(queue)
    when bytes > coalesce(payload_limit, 262144) then holdfast.refuse('HF001',
      format('The payload at index %s has %s bytes, but the queue %s allows only %s.',
        i - 1, bytes, queue, coalesce(payload_limit, 262144)),
      'Store large data elsewhere and pass a reference to it, or raise the queue''s payload_limit.', '$')::boolean
    else holdfast.refuse('HF002',
      format('An option of the job at index %s is out of range (got priority %s, max_failures %s, timeout %s,'
        ' queue %s).',
        i - 1, priority, coalesce(max_failures::text, 'not set'), coalesce(timeout::text, 'not set'), queue),
      'priority must be 0 to 100, max_failures at least 1, timeout more than 0, and the queue 1 to 200 characters long.'
    )::boolean
  end
$$;
