-- (nothing) -> ready | scheduled | waiting: stores the jobs of a call; every way to enqueue ends here.
-- options apply to all jobs. own holds the arrays of read_columns; each replaces one of the options.
-- made: null if all jobs are new; else false where a unique key returned an earlier job. routes: the queue of each job
-- that a rule chose; null if rules chose none. is_internal: Holdfast's own.
create or replace function holdfast.store_jobs(
  tasks text[], payloads json[], options jsonb, own record, is_internal boolean,
  out ids uuid[], out made boolean[], out routes text[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at      constant timestamptz := holdfast.now();
  n       constant integer := cardinality(payloads);
  largest integer;
  o       record;
  seqs    bigint[];
  heads   boolean[];
  place   record;
  judged  record;
begin
  if options ->> 'pipeline' is not null and cardinality(tasks) in (1, n) then
    options := holdfast.enter_option(options);
    tasks := array[options ->> 'task'];
    options := options - 'task';
    -- The stage decides where its jobs stand.
    own.queue := null;
    own.endpoint := null;
    own."group" := null;
  end if;
  largest := holdfast.check_enqueue(tasks, payloads, options, is_internal);
  select * into o from holdfast.read_option(options, at);
  if not own is null then
    perform holdfast.check_columns(own);
  end if;
  if o.parent is not null or own.parent is not null then
    perform holdfast.check_parents(
      coalesce(own.parent, array_fill(o.parent, array[n])),
      coalesce(own.parent_token, array_fill((options ->> 'parent_token')::uuid, array[n])));
    select h.origins, h.actors, h.traces into own.origin, own.actor, own.trace
    from holdfast.inherit_origins(n, o, own) as h;
  end if;
  ids := holdfast.new_ids(at, n);
  if o.unique_key is not null or own.unique_key is not null then
    select k.ids, k.made into ids, made from holdfast.take_keys(ids, tasks, payloads, o, own) as k;
  end if;
  if o.order_key is not null or own.order_key is not null then
    select l.seqs, l.heads into seqs, heads
    from holdfast.join_orders(ids, made, coalesce(own.order_key, array_fill(o.order_key, array[n]))) as l;
  end if;
  if o.run is not null or own.run is not null then
    perform holdfast.join_runs(coalesce(own.run, array_fill(o.run, array[n])), made);
  end if;
  if not true = any (made) then
    return;
  end if;
  select p.*, holdfast.find_login() as login_id, null::integer[] as outcomes, null::integer[] as scores,
    null::jsonb[] as words into place
  from holdfast.find_places(made, tasks, o, own, options @> '{"rules": false}') as p;
  if place.ruled_by is not null then
    select a.* into judged from holdfast.apply_rules(made, tasks, payloads, o, own, place, at) as a;
    o.queue := coalesce(judged.queue, o.queue);
    own.queue := case when judged.queue is null then coalesce(judged.queues, own.queue) end;
    select p.*, place.login_id, judged.outcomes, judged.scores, judged.words into place
    from holdfast.find_places(made, tasks, o, own, true) as p;
    routes := judged.routes;
  end if;
  perform holdfast.insert_jobs(ids, made, seqs, heads, tasks, payloads, largest, options, o, own, place, at,
    is_internal);
  if place.is_full then
    perform holdfast.record_enqueued(ids, made, at);
  end if;
  if place.woken is not null and options ->> 'notify' is distinct from 'false' then
    perform holdfast.notify_ready(place.woken);
  end if;
end
$$;
