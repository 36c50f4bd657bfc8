-- any live state -> the same: another priority; a ready job goes to the end of its new line.
create or replace function holdfast.set_priority(ids uuid[], priority integer, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  job    holdfast.jobs;
  asked  uuid;
  points constant integer := priority;
  ageing double precision;
begin
  if points is null or points not between 0 and 100 then
    perform holdfast.refuse('HF002', format('A priority cannot be %s.', points), 'Give 0 to 100, higher first.');
  end if;
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null then
      ageing := (select q.ageing from holdfast.queues as q where q.name = job.queue);
      update holdfast.jobs as j
      set priority = points,
          urgency = case when ageing is null then points else 0 end,
          lead = make_interval(secs => 60 * points / ageing),
          rank_at = case when j.state = 'ready' then holdfast.now() - coalesce(make_interval(secs => 60 * points / ageing), '0')
            else j.rank_at + coalesce(j.lead, '0') - coalesce(make_interval(secs => 60 * points / ageing), '0') end
      where j.id = asked;
      perform holdfast.record_event('set_priority', job.id, job.run_id, job.queue, job.state, job.state, job.attempt, job.worker_id, actor,
        holdfast.sanitise_text(reason), jsonb_build_object('from', job.priority, 'to', points));
      result := 'set';
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.set_priority(uuid[], integer, text, text) is 'Gives live jobs another priority.';
