-- running -> running: reads the signal of a name, if it has been sent.
-- came says whether data holds a signal; it belongs to this stage visit from then on. timed_out says that the job
-- waited with wait_jobs and its timeout has passed. If both are false, call wait_jobs.
-- plan: no seqscan
create or replace function holdfast.await_signal(job uuid, token uuid, name text, out came boolean, out data json,
  out timed_out boolean)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  held holdfast.jobs;
  sent holdfast.signals;
begin
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a signal must have 1 to 200 characters.',
      'Choose a name that says what the job waits for.');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job and j.token = await_signal.token for update;
  if not found then
    perform holdfast.refuse('HF006', format('The job %s no longer belongs to this worker.', job),
      'Stop working on the job: another worker has it.');
  end if;
  select s.* into sent from holdfast.find_signal(held, name) as s;
  came := sent.id is not null;
  data := sent.data;
  timed_out := not came and exists (
    select from holdfast.waits as w
    where w.job_id = job
      and w.generation = held.generation
      and w.visit = held.visit
      and w.name = 'signal:' || await_signal.name
      and w.until <= holdfast.now()
  );
  if came and sent.taken_visit is null then
    update holdfast.signals as s set taken_generation = held.generation, taken_visit = held.visit where s.id = sent.id;
  end if;
end
$$;
