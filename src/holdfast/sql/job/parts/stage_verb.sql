-- What completing a job means: at a stage of a pipeline it goes to the next one.
create or replace function holdfast.stage_verb(job uuid, verb text)
returns text
language sql stable
as $$
  select case
    when verb = 'complete' and exists (select from holdfast.jobs as j where j.id = job and j.pipeline is not null)
      then 'advance'
    else verb
  end
$$;
