-- How long a deferred job waits: its Retry-After and up to 30 % more, else a delay that doubles up to five minutes.
-- After a deadlock or serialization failure the delay is short and random, so that the two do not collide again.
create or replace function holdfast.delay_after_deferral(job holdfast.jobs, class text, detail jsonb)
returns interval
language sql volatile
as $$
  select coalesce(
    holdfast.reported_wait(detail) * (1 + 0.3 * random()),
    holdfast.retry_delay(
      case detail ->> 'type'
        when 'TransactionConflict' then '{"base": 0.1, "factor": 2, "cap": 10, "jitter": 1}'::jsonb
        else '{"base": 5, "factor": 2, "cap": 300, "jitter": 0.3}'
      end,
      job.deferrals,
      random()
    )
  )
$$;
