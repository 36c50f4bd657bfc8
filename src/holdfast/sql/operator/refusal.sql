-- Why an operator's action is impossible for a job: not_running, busy, ended or not_found; null if it is possible.
create or replace function holdfast.refusal(job uuid, state text, wanted text[])
returns text
language sql stable
as $$
  select case
    when state = any (wanted) then null
    when state is not null then 'not_running'
    when exists (select from holdfast.jobs as j where j.id = job) then 'busy'
    when exists (
      select from holdfast.history as h
      where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute'
    ) then 'ended'
    else 'not_found'
  end
$$;
