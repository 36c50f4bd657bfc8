-- Raises an error for the first job whose own options hold a value that would break a reader or an index once stored.
-- One pass finds jobs that may be at fault; read_option, which knows the rules and their words, decides.
create or replace function holdfast.check_columns(own record)
returns void
language plpgsql volatile
as $$
declare
  suspect record;
begin
  for suspect in
    select *
    from rows from (
      unnest(own.queue), unnest(own.delay), unnest(own.run_at), unnest(own.unique_key), unnest(own.unique_scope),
      unnest(own.order_key), unnest(own.labels), unnest(own.timeout), unnest(own.deadline), unnest(own."group"),
      unnest(own.endpoint), unnest(own.pipeline), unnest(own.stage), unnest(own.estimate),
      unnest(own.origin), unnest(own.actor), unnest(own.default_queue)
    ) with ordinality as u (
      queue, delay, run_at, unique_key, unique_scope, order_key, labels, timeout, deadline, "group", endpoint,
      pipeline, stage, estimate, origin, actor, default_queue, i
    )
    where octet_length(queue) not between 1 and 800
      or octet_length(default_queue) not between 1 and 800
      or octet_length(unique_key) not between 1 and 1000
      or octet_length(unique_scope) not between 1 and 1000
      or octet_length(order_key) not between 1 and 1000
      or octet_length("group") > 800
      or octet_length(endpoint) > 800
      or octet_length(pipeline) not between 1 and 800
      or octet_length(stage) not between 1 and 800
      or octet_length(origin) not between 1 and 200
      or octet_length(actor) not between 1 and 200
      or delay not between interval '-1000 years' and interval '1000 years'
      or timeout not between interval '-1000 years' and interval '1000 years'
      or run_at not between '1900-01-01Z' and '9000-01-01Z'
      or deadline not between '1900-01-01Z' and '9000-01-01Z'
      or estimate not between 0 and 1e14
      or jsonb_typeof(labels) <> 'object'
      or pg_column_size(labels) > 8000
      or jsonb_path_exists(labels, '$.** ? (@ > 1e308 || @ < -1e308)')
    order by i
  loop
    perform holdfast.read_option(jsonb_strip_nulls(jsonb_build_object(
      'queue', suspect.queue, 'delay', suspect.delay, 'run_at', suspect.run_at, 'unique_key', suspect.unique_key,
      'unique_scope', suspect.unique_scope, 'order_key', suspect.order_key, 'timeout', suspect.timeout,
      'deadline', suspect.deadline, 'group', suspect."group", 'endpoint', suspect.endpoint,
      'pipeline', suspect.pipeline, 'stage', suspect.stage, 'estimate', suspect.estimate,
      'origin', suspect.origin, 'actor', suspect.actor, 'default_queue', suspect.default_queue
    )) || jsonb_build_object('labels', suspect.labels), holdfast.now());
  end loop;
end
$$;
