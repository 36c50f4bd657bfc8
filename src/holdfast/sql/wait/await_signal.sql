-- running -> running: what a job was told under a name, if it was; else whether the time to wait for it is over.
create or replace function holdfast.await_signal(job uuid, token uuid, name text, out came boolean, out data json, out timed_out boolean)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  held holdfast.jobs;
  told holdfast.signals;
begin
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'A signal needs a name of 1 to 200 characters.', 'Name what the job waits for.');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job and j.token = await_signal.token for update;
  if not found then
    perform holdfast.refuse('HF006', format('The job %s is no longer this worker''s.', job), 'Stop working on it: another worker has it.');
  end if;
  select s.* into told from holdfast.find_signal(held, name) as s;
  came := told.id is not null;
  data := told.data;
  timed_out := not came and exists (
    select from holdfast.waits as w
    where w.job_id = job and w.generation = held.generation and w.visit = held.visit and w.name = 'signal:' || await_signal.name
      and w.until <= holdfast.now()
  );
  if came and told.taken_visit is null then
    update holdfast.signals as s set taken_generation = held.generation, taken_visit = held.visit where s.id = told.id;
  end if;
end
$$;
comment on function holdfast.await_signal(uuid, uuid, text) is 'What a running job was told under a name, if it was; else whether the time to wait for it is over.';
