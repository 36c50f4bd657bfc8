-- any live state -> the same: another priority; a ready job goes to the end of its new line.
create or replace function holdfast.set_priority(ids uuid[], priority integer, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  points constant integer := priority;
  job    holdfast.jobs;
  asked  uuid;
  worth  interval;  -- what the points are worth in a queue with ageing; null in others
begin
  perform holdfast.check_reason(reason);
  if points is null or points not between 0 and 100 then
    perform holdfast.refuse('HF002', format('A priority cannot be %s.', coalesce(points::text, 'nothing')), 'Give 0 to 100, higher first.');
  end if;
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null then
      worth := (select make_interval(secs => 60 * points / q.ageing) from holdfast.queues as q where q.name = job.queue);
      update holdfast.jobs as j
      set priority = points,
          urgency = case when worth is null then points else 0 end,
          lead = worth,
          rank_at = case j.state
            when 'ready' then holdfast.now() - coalesce(worth, '0')
            -- Rank and lead together tell when it became ready, which does not change while it runs.
            when 'running' then j.rank_at + coalesce(j.lead, '0') - coalesce(worth, '0')
          end
      where j.id = asked;
      perform holdfast.record_event('set_priority', job.id, job.run_id, job.queue, job.state, job.state, job.attempt, job.worker_id, actor,
        reason, jsonb_build_object('from', job.priority, 'to', points));
      result := 'set';
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.set_priority(uuid[], integer, text, text)
  is 'Gives live jobs another priority: each is set, ended already, busy (its row is locked: ask again) or not_found.';
