-- Whether a token has ended its job in this way before, so that the call is a repeated one.
-- Only ends that leave the token in a record can be recognised: complete (not by an operator), reject and fail.
-- plan: no seqscan
create or replace function holdfast.was_ended(job uuid, token uuid, verb text)
returns boolean
language sql stable
as $$
  select case
    when verb = 'fail' then exists (
      select from holdfast.attempts as a
      where a.job_id = job
        and a.token = was_ended.token
        and a.outcome in ('failed', 'timed_out', 'deferred')
    )
    else exists (
      select from holdfast.history as h
      where h.id = job
        and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute'
        and h.token = was_ended.token
        and (verb in ('complete', 'advance') and h.state = 'completed' and h.reason is null
          or verb = 'reject' and h.state = 'rejected')
    )
  end
$$;
