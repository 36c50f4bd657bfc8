-- Reads the options of single jobs as a set: one typed array per option, null for an option that no job has.
-- An array replaces the option that is given for all jobs; a null in it is an option that its job does not have.
-- names are the options that each contains.
create or replace function holdfast.read_columns(
  options jsonb, each jsonb[], names text[],
  out queue text[], out priority integer[], out delay interval[], out run_at timestamptz[],
  out unique_key text[], out unique_for text[], out unique_scope text[], out order_key text[], out run uuid[],
  out parent uuid[], out parent_token uuid[], out labels jsonb[], out timeout interval[], out deadline timestamptz[],
  out "group" text[], out endpoint text[], out max_failures integer[], out retry jsonb[], out pipeline text[],
  out stage text[], out estimate double precision[], out origin text[], out actor text[],
  out trace jsonb[], out default_queue text[], out default_priority integer[]
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  -- Those for all jobs that some job overrides.
  shared jsonb;
begin
  if each is null then
    return;
  end if;
  perform holdfast.check_names(names);
  shared := options - array(select k from jsonb_object_keys(options - names) as k);
  begin
    select
      array_agg(o.queue) filter (where 'queue' = any (names)),
      array_agg(o.priority) filter (where 'priority' = any (names)),
      array_agg(holdfast.to_interval(o.delay)) filter (where 'delay' = any (names)),
      array_agg(o.run_at) filter (where 'run_at' = any (names)),
      array_agg(o.unique_key) filter (where 'unique_key' = any (names)),
      array_agg(o.unique_for) filter (where 'unique_for' = any (names)),
      array_agg(o.unique_scope) filter (where 'unique_scope' = any (names)),
      array_agg(o.order_key) filter (where 'order_key' = any (names)),
      array_agg(o.run) filter (where 'run' = any (names)),
      array_agg(o.parent) filter (where 'parent' = any (names)),
      array_agg(o.parent_token) filter (where 'parent_token' = any (names)),
      array_agg(o.labels) filter (where 'labels' = any (names)),
      array_agg(holdfast.to_interval(o.timeout)) filter (where 'timeout' = any (names)),
      array_agg(o.deadline) filter (where 'deadline' = any (names)),
      array_agg(o."group") filter (where 'group' = any (names)),
      array_agg(o.endpoint) filter (where 'endpoint' = any (names)),
      array_agg(o.max_failures) filter (where 'max_failures' = any (names)),
      array_agg(holdfast.retry_policy(o.retry)) filter (where 'retry' = any (names)),
      array_agg(o.pipeline) filter (where 'pipeline' = any (names)),
      array_agg(o.stage) filter (where 'stage' = any (names)),
      array_agg(o.estimate) filter (where 'estimate' = any (names)),
      array_agg(o.origin) filter (where 'origin' = any (names)),
      array_agg(o.actor) filter (where 'actor' = any (names)),
      array_agg(holdfast.read_trace(o.trace)) filter (where 'trace' = any (names)),
      array_agg(o.default_queue) filter (where 'default_queue' = any (names)),
      array_agg(o.default_priority) filter (where 'default_priority' = any (names))
    into
      queue, priority, delay, run_at, unique_key, unique_for, unique_scope, order_key, run, parent, parent_token,
      labels, timeout, deadline, "group", endpoint, max_failures, retry, pipeline, stage, estimate, origin,
      actor, trace, default_queue, default_priority
    from unnest(each) as e (given)
    cross join lateral jsonb_to_record(shared || coalesce(nullif(given, 'null'), '{}')) as o (
      queue text, priority integer, delay jsonb, run_at timestamptz, unique_key text, unique_for text,
      unique_scope text, order_key text, run uuid, parent uuid, parent_token uuid, labels jsonb, timeout jsonb,
      deadline timestamptz, "group" text, endpoint text, max_failures integer, retry jsonb, pipeline text, stage text,
      estimate double precision, origin text, actor text, trace jsonb, default_queue text, default_priority integer
    );
  exception
    -- A value that cannot be converted: read one by one, the first job at fault raises the error that names it.
    when data_exception then
      perform o.queue
      from unnest(each) with ordinality as e (given, i)
      cross join lateral holdfast.read_option(options || coalesce(nullif(given, 'null'), '{}'), holdfast.now()) as o
      order by i;
      raise;
  end;
end
$$;
