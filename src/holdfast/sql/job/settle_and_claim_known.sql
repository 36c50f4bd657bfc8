-- running -> as each end says, then ready -> running: settle_and_claim for a worker that another program speaks for.
-- Besides what that does: claimed jobs of tasks that the worker did not register are deferred for other workers and not
-- returned; if its access key is for some tasks only, they are out of its scope and ready again at once; time_box, the
-- time that the worker still has, limits n to what it can do in it; a worker that was asked to drain gets no job but a
-- row of kind drain; to complete a job at a stage of a pipeline moves it to its next stage; an end that the same call
-- has made before, as in end_job, is of kind repeated and not lost.
create or replace function holdfast.settle_and_claim_known(
  worker uuid, n integer, ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[],
  time_box interval default null
)
returns table (
  kind text, job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer,
  losses integer, priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb,
  order_key text, started_at timestamptz, ready_at timestamptz, stop_after interval, endpoint text, due_in interval,
  trace jsonb
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  me      holdfast.workers;
  drains  boolean;
  unknown uuid[];
  marks   uuid[];
begin
  select w.* into me from holdfast.workers as w where w.id = worker;
  drains := me.drain_asked and holdfast.has_lease(worker);
  for kind, job_id, token, task, queue, payload, attempt, failures, losses, priority, run, stage, generation, visit,
    labels, order_key, started_at, ready_at, stop_after, endpoint, due_in, trace
  in
    select s.*
    from holdfast.settle_and_claim(
      worker,
      case when drains then 0 when time_box is null then n
        else least(n, holdfast.claim_size(me.queues, time_box, me.slots)) end,
      ids, tokens,
      array(
        select holdfast.stage_verb(u.id, u.verb)
        from unnest(ids, verbs) with ordinality as u (id, verb, place)
        order by u.place),
      outputs, details) as s
  loop
    if kind = 'job' and me.tasks <> '{}' and task <> all (me.tasks) then
      unknown := unknown || job_id;
      marks := marks || token;
    else
      if kind = 'lost' and exists (
        select from unnest(ids, tokens, verbs) as u (id, mark, verb)
        where u.id = job_id
          and u.mark = token
          and holdfast.was_ended(u.id, u.mark, u.verb)
      ) then
        kind := 'repeated';
      end if;
      return next;
    end if;
  end loop;
  if unknown is not null and exists (
    select from holdfast.access_keys as k where k.id = me.access_key and k.tasks is not null
  ) then
    perform holdfast.avoid_lane(worker, f.lane, holdfast.now())
    from (select distinct j.lane from holdfast.jobs as j where j.id = any (unknown)) as f;
    perform holdfast.release_jobs(unknown, marks, array_fill('{"yielded": true}'::jsonb, array[cardinality(unknown)]));
  elsif unknown is not null then
    perform holdfast.fail_jobs(unknown, marks, array_fill(
      jsonb_build_object('class', 'system', 'type', 'UnknownTask', 'message',
        format('The worker %s has not registered this task.', worker)), array[cardinality(unknown)]));
  end if;
  if drains then
    return query select * from holdfast.note_row('drain', null);
  end if;
end
$$;
