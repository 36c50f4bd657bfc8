-- How long a deferred job waits: what the endpoint asked for and up to 30 % more, else a wait that doubles to five minutes.
create or replace function holdfast.delay_after_deferral(job holdfast.jobs, class text, detail jsonb)
returns interval
language sql volatile
as $$
  select coalesce(
    holdfast.retry_after(detail) * (1 + 0.3 * random()),
    holdfast.retry_delay('{"base": 5, "factor": 2, "cap": 300, "jitter": 0.3}', job.deferrals, random())
  )
$$;
comment on function holdfast.delay_after_deferral(holdfast.jobs, text, jsonb) is 'How long a deferred job waits for its next try.';
