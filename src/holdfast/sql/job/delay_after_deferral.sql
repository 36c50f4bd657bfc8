-- How long a deferred job waits: what the endpoint asked for and up to 30 % more, else a wait that doubles to five minutes.
-- After a deadlock or serialization failure it is short, so that the job goes on soon, and random, so that the two do not meet again.
create or replace function holdfast.delay_after_deferral(job holdfast.jobs, class text, detail jsonb)
returns interval
language sql volatile
as $$
  select coalesce(
    holdfast.retry_after(detail) * (1 + 0.3 * random()),
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
comment on function holdfast.delay_after_deferral(holdfast.jobs, text, jsonb) is 'How long a deferred job waits for its next try.';
