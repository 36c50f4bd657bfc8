-- Inserts the jobs of a call after their keys, order, runs and places have been found.
-- place holds the arrays of find_places. Arrays are read by number: variables of a function are unpacked once, an
-- unnest of each would cost more, and a join would change the order of the rows, which costs in the indexes.
create or replace function holdfast.insert_jobs(
  ids uuid[], made boolean[], seqs bigint[], heads boolean[], tasks text[], payloads json[], largest integer,
  options jsonb, o record, own record, place record, at timestamptz, is_internal boolean
)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  priorities   constant integer[] := own.priority;
  delays       constant interval[] := own.delay;
  run_ats      constant timestamptz[] := own.run_at;
  unique_keys  constant text[] := own.unique_key;
  scopes       constant text[] := own.unique_scope;
  order_keys   constant text[] := own.order_key;
  runs         constant uuid[] := own.run;
  parents      constant uuid[] := own.parent;
  labels_of    constant jsonb[] := own.labels;
  timeouts     constant interval[] := own.timeout;
  deadlines    constant timestamptz[] := own.deadline;
  most         constant integer[] := own.max_failures;
  retries      constant jsonb[] := own.retry;
  pipelines    constant text[] := own.pipeline;
  stages       constant text[] := own.stage;
  estimates    constant double precision[] := own.estimate;
  origins      constant text[] := own.origin;
  actors       constant text[] := own.actor;
  traces       constant jsonb[] := own.trace;
  declared     constant integer[] := own.default_priority;
  -- Of rules: the outcome of each job, and the priority and remark of each outcome.
  outcomes     constant integer[] := place.outcomes;
  scores       constant integer[] := place.scores;
  remarks      constant jsonb[] := place.words;
  places       constant integer[] := place.places;
  lanes        constant integer[] := place.lanes;
  queues       constant text[] := place.queues;
  ageings      constant double precision[] := place.ageing;
  limits       constant integer[] := place.payload_limits;
  usual_points constant integer[] := place.priorities;
  usual_times  constant interval[] := place.timeouts;
  chunk        constant integer := (options -> 'stagger' ->> 'chunk')::integer;
  every        constant interval := holdfast.read_interval(options -> 'stagger' -> 'every');
  fixed_due    constant timestamptz := case when options ->> 'run_at' is not null then o.due_at end;
  may_be_due   constant boolean := not (o.due_at, every, delays, run_ats) is null;
  login        constant integer := place.login_id;
  version      constant integer := case when o.pipeline is not null then holdfast.newest_version(o.pipeline) end;
  -- Up to this size no payload needs to be measured.
  is_small     constant boolean := largest <= least(2000, (select min(m) from unnest(limits) as m));
  -- All jobs are like the first, apart from priorities that are in range.
  is_checked   constant boolean := is_internal or is_small and (places, declared, timeouts, most) is null
    and coalesce((
      select bool_and(coalesce(p, o.priority, o.default_priority, usual_points[1]) between 0 and 100)
      from unnest(priorities) as p
    ), true)
    and holdfast.check_job(1, coalesce(priorities[1], o.priority, o.default_priority, usual_points[1]), o.max_failures,
      0, null, coalesce(o.timeout, usual_times[1]), queues[1]);
begin
  insert into holdfast.jobs (
    id, lane, priority, urgency, state, rank_at, due_at, waits_for, lead, queue, task, pipeline, pipeline_version,
    stage, run_id, parent_id, order_key, order_seq, unique_scope, unique_key, timeout, deadline, max_failures, retry,
    estimate, labels, login_id, origin, claimed_actor, trace, rules, payload
  )
  select
    ids[i], lanes[place], points, case when ageing is null then points else 0 end, state,
    -- A microsecond apart, so that jobs of one call keep their order.
    case when state = 'ready' then at + i * interval '1 microsecond' - coalesce(lead, '0') end,
    case when due > at then due end, case when state = 'waiting' then 'order' end, lead, queue,
    coalesce(tasks[i], tasks[1]), pipeline,
    case when pipeline is not null then coalesce(version, holdfast.newest_version(pipeline)) end,
    coalesce(stages[i], o.stage), coalesce(runs[i], o.run), coalesce(parents[i], o.parent),
    case when seqs[i] is not null then coalesce(order_keys[i], o.order_key) end, seqs[i],
    case when key is not null then coalesce(scopes[i], o.unique_scope, tasks[i], tasks[1]) end, key, may_run,
    coalesce(deadlines[i], o.deadline), max_failures, coalesce(retries[i], o.retry), coalesce(estimates[i], o.estimate),
    coalesce(nullif(labels_of[i], 'null'), o.labels), login, holdfast.stored_origin(coalesce(origins[i], o.origin)),
    coalesce(actors[i], o.actor), coalesce(traces[i], o.trace), remarks[outcomes[i]],
    case when bytes <= 2000 then payloads[i] end
  from (
    select
      job.*,
      case when heads[i] is false then 'waiting' when due > at then 'scheduled' else 'ready' end as state,
      case when ageing is not null then make_interval(secs => 60 * points / ageing) end as lead
    from (
      select
        i, place, queues[place] as queue, ageings[place] as ageing,
        coalesce(scores[outcomes[i]], priorities[i], o.priority, declared[i], o.default_priority, usual_points[place])
          as points,
        coalesce(timeouts[i], o.timeout, usual_times[place]) as may_run,
        case when may_be_due then greatest(
          coalesce(run_ats[i], fixed_due, at + delays[i], o.due_at), at + every * ((i - 1) / chunk)) end as due,
        coalesce(pipelines[i], o.pipeline) as pipeline,
        coalesce(unique_keys[i], o.unique_key) as key,
        coalesce(most[i], o.max_failures) as max_failures,
        case when is_small then largest else octet_length(payloads[i]::text) end as bytes
      from generate_series(1, cardinality(ids)) as i
      cross join lateral (select case when places is null then 1 else places[i] end) as p (place)
      where made[i] is not false
    ) as job
    where is_checked or holdfast.check_job(i, points, max_failures, bytes, limits[place], may_run, queue)
  ) as job;
  if largest > 2000 then
    insert into holdfast.payloads (job_id, payload)
    select ids[i], payloads[i]
    from generate_series(1, cardinality(ids)) as i
    where made[i] is not false and octet_length(payloads[i]::text) > 2000;
  end if;
end
$$;
