-- The combinations of task, queue, endpoint, group and budget that the jobs of a call name; places: that of each job.
-- plan: no nestloop, no mergejoin
create or replace function holdfast.number_places(
  made boolean[], task_names text[], o record, own record, capped uuid[],
  out places integer[], out tasks text[], out queues text[], out endpoints text[], out groups text[],
  out are_capped boolean[]
)
language plpgsql stable
as $$
#variable_conflict use_column
begin
  with job as materialized (
    select
      i, is_made,
      coalesce(task, task_names[1]) as task,
      coalesce(queue, o.queue, default_queue, o.default_queue) as queue,
      coalesce(endpoint, o.endpoint) as endpoint,
      coalesce("group", o."group", '') as "group",
      coalesce(coalesce(run, o.run) = any (capped), false) as is_capped
    from rows from (
      unnest(task_names), unnest(own.queue), unnest(own.endpoint), unnest(own."group"), unnest(own.run), unnest(made),
      unnest(own.default_queue)
    ) with ordinality as u (task, queue, endpoint, "group", run, is_made, default_queue, i)
  ), place as materialized (
    select row_number() over () as number, p.*
    from (select distinct task, queue, endpoint, "group", is_capped from job where is_made is not false) as p
  ), listed as (
    select
      array_agg(task order by number) as tasks, array_agg(queue order by number) as queues,
      array_agg(endpoint order by number) as endpoints, array_agg("group" order by number) as groups,
      array_agg(is_capped order by number) as are_capped
    from place
  )
  select numbered.places, listed.* into places, tasks, queues, endpoints, groups, are_capped
  from listed, (
    select array_agg(p.number::integer order by j.i) as places
    from job as j
    left join place as p
      on p.task = j.task
      and coalesce(p.queue, '') = coalesce(j.queue, '')
      and (p.endpoint is null) = (j.endpoint is null)
      and coalesce(p.endpoint, '') = coalesce(j.endpoint, '')
      and p."group" = j."group"
      and p.is_capped = j.is_capped
  ) as numbered;
end
$$;
