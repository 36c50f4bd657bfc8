-- any live state -> completed: an operator says that the work is done, with its output; a worker is fenced.
create or replace function holdfast.complete_by_hand(ids uuid[], output json, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  job   holdfast.jobs;
  asked uuid;
begin
  perform holdfast.check_reason(reason);
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null and not holdfast.hold_endpoint(job) then
      result := 'busy';
    end if;
    if result is null then
      -- Work done by hand is a try of its own: the last attempt of a completed job is the one that succeeded.
      update holdfast.jobs as j
      set attempt = j.attempt + (j.state <> 'running')::integer,
          in_flight_at_start = null
      where j.id = asked;
      -- Nor does it say that the endpoint is well.
      perform holdfast.give_permit_back(job, holdfast.recorded_units(job));
      perform holdfast.end_jobs(array[asked], null, 'completed', array[output], array['completed by hand: ' || holdfast.sanitise_text(reason)],
        array[holdfast.recorded_units(job)]);
      perform holdfast.record_event('complete_by_hand', job.id, job.run_id, job.queue, job.state, 'completed',
        job.attempt + (job.state <> 'running')::integer, job.worker_id, actor, reason);
      result := 'completed';
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.complete_by_hand(uuid[], json, text, text)
  is 'Completes jobs by an operator''s word: each is completed, ended already, busy (its row is locked: ask again) or not_found.';
