-- any live state -> completed: an operator says that the work is done, with its output; a worker is fenced.
create or replace function holdfast.complete_by_hand(ids uuid[], output json, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  job   holdfast.jobs;
  asked uuid;
begin
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null and job.attempt = 0 then
      result := 'never_ran';
    elsif result is null then
      perform holdfast.end_jobs(array[asked], null, 'completed', array[output], array['completed by hand: ' || coalesce(holdfast.sanitise_text(reason), '')]);
      perform holdfast.record_event('complete_by_hand', job.id, job.run_id, job.queue, job.state, 'completed', job.attempt, job.worker_id, actor,
        holdfast.sanitise_text(reason));
      result := 'completed';
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.complete_by_hand(uuid[], json, text, text)
  is 'Completes jobs by an operator''s word; never_ran is one without any attempt: cancel that instead.';
