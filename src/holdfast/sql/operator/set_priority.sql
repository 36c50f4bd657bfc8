-- any live state -> the same: gives live jobs another priority, 0 to 100, higher first.
-- A ready job is placed behind the jobs that already have that priority. result of each job: set, ended, busy (its row
-- is locked, call again) or not_found.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.set_priority(ids uuid[], priority integer, reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
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
    perform holdfast.refuse('HF002',
      format('priority must be between 0 and 100 (got %s).', coalesce(points::text, 'null')),
      'Jobs with a higher priority start first.');
  end if;
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null then
      worth := (
        select make_interval(secs => 60 * points / q.ageing)
        from holdfast.queues as q
        where q.name = job.queue);
      update holdfast.jobs as j
      set priority = points,
          urgency = case when worth is null then points else 0 end,
          lead = worth,
          rank_at = case j.state
            when 'ready' then holdfast.now() - coalesce(worth, '0')
            -- rank_at + lead is when it became ready, which must not change while it runs.
            when 'running' then j.rank_at + coalesce(j.lead, '0') - coalesce(worth, '0')
          end
      where j.id = asked;
      perform holdfast.record_event('set_priority', job.id, job.run_id, job.queue, job.state, job.state, job.attempt,
        job.worker_id, actor, reason, jsonb_build_object('from', job.priority, 'to', points));
      result := 'set';
    end if;
    return next;
  end loop;
end
$$;
