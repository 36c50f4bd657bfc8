-- any live state -> dead: an operator gives jobs up; a worker is fenced.
create or replace function holdfast.fail_by_hand(ids uuid[], reason text, actor text)
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
      perform holdfast.bury(holdfast.charge_attempt(job, holdfast.recorded_units(job)), 'given_up');
      update holdfast.dead_letters as d set message = coalesce(d.message, holdfast.sanitise_text(fail_by_hand.reason)) where d.job_id = asked;
      perform holdfast.record_event('fail_by_hand', job.id, job.run_id, job.queue, job.state, 'dead', job.attempt, job.worker_id, actor, reason);
      result := 'dead';
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.fail_by_hand(uuid[], text, text)
  is 'Makes jobs dead by an operator''s word, as given_up: each is dead, ended already, busy (its row is locked: ask again) or not_found.';
