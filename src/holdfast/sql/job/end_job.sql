-- running -> as the end says: ends one job, and returns what became of it.
-- verb, output and detail are those of settle_and_claim; to complete a job at a stage of a pipeline moves it to its
-- next stage. result: ended, repeated (the same call has ended it before: complete, fail and reject may be repeated) or
-- lost (the token is outdated, and nothing changed). state and due_at are the job's, now.
-- plan: no seqscan
create or replace function holdfast.end_job(
  job uuid, token uuid, verb text, output json default null, detail jsonb default null,
  out result text, out state text, out due_at timestamptz
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform from holdfast.settle_jobs(
    array[end_job.job], array[end_job.token], array[holdfast.stage_verb(end_job.job, verb)], array[output],
    array[detail]);
  result := case
    when not found then 'ended'
    when holdfast.was_ended(end_job.job, end_job.token, verb) then 'repeated'
    else 'lost'
  end;
  select j.state, j.due_at into state, due_at from holdfast.jobs as j where j.id = end_job.job;
  if not found then
    select h.state into state
    from holdfast.history as h
    where h.id = end_job.job
      and h.ended_at >= coalesce(holdfast.created_at(end_job.job), '-infinity') - interval '1 minute';
  end if;
end
$$;
