-- (nothing) -> working: registers a worker process and gives it its first lease.
-- worker is an id that the process chooses, such as gen_random_uuid(). queues names at least one queue; new ones are
-- made.
-- info: lease (30 seconds; a number of seconds or the text of an interval), slots, group, weights ({queue: weight}),
-- tasks (the names it can run), host, pid, version, metadata, time_box, continues, claim_size, run, isolation,
-- slots_from and claim_size_from (option, group, flag or default: where these come from, see worker_flags), access_key
-- (the key for which the HTTP API registers it: HF005 if that key has 10,000 live workers), and internal (true: it runs
-- Holdfast's own jobs, and may name the queue holdfast).
-- Returns when the lease ends. Call renew_lease well before that, for instance every third of the lease.
create or replace function holdfast.register_worker(worker uuid, queues text[], info jsonb default '{}')
returns timestamptz
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  at     constant timestamptz := holdfast.now();
  lease  constant interval := coalesce(holdfast.read_interval(info -> 'lease'), '30 seconds');
begin
  perform holdfast.check_object('info', info);
  if coalesce(cardinality(queues), 0) = 0
    or exists (select from unnest(queues) as u where coalesce(length(u), 0) not between 1 and 200) then
    perform holdfast.refuse('HF002', 'queues must be a list of at least one name, each with 1 to 200 characters.',
      'Pass the names of the queues from which the worker takes jobs.');
  end if;
  if lease < interval '1 second' or lease > interval '1 day' then
    perform holdfast.refuse('HF002', format('lease must be between 1 second and 1 day (got %s).', lease),
      'The default is 30 seconds.');
  end if;
  -- A weight of 0 would make every claim fail with a division by zero.
  if exists (
    select from jsonb_each(coalesce(info -> 'weights', '{}')) as w
    where coalesce(holdfast.read_number(w.value), 0) not between 0.000001 and 1000000
  ) then
    perform holdfast.refuse('HF002',
      format('weights must be numbers above 0 and up to 1000000 (got %s).', left(info ->> 'weights', 200)),
      'Pass a weight for each queue, such as {"mail": 2}.');
  end if;
  if exists (select from holdfast.workers as w where w.id = worker and w.rescued_at is not null) then
    perform holdfast.forgive_losses(worker);
    perform holdfast.release_held(worker);
  end if;
  if not coalesce((info ->> 'internal')::boolean, false) then
    perform holdfast.refuse_reserved(variadic queues);
  end if;
  perform holdfast.check_key_workers((info ->> 'access_key')::uuid, worker);
  perform holdfast.name_queues(queues);
  insert into holdfast.workers as w (
    id, "group", queues, weights, tasks, lease, lease_until, renewed_at, slots, host, pid, version, started_at,
    metadata, box_until, continues, link, run_id, claim_size, isolation, slots_from, claim_size_from,
    access_key
  )
  values (
    worker, coalesce(info ->> 'group', ''), queues, coalesce(info -> 'weights', '{}'),
    array(select jsonb_array_elements_text(coalesce(info -> 'tasks', '[]'))), lease, at + lease, at,
    coalesce((info ->> 'slots')::integer, 1), left(info ->> 'host', 200), (info ->> 'pid')::integer,
    left(info ->> 'version', 200), at, info -> 'metadata',
    at + holdfast.read_interval(info -> 'time_box'), coalesce((info ->> 'continues')::boolean, false),
    (info ->> 'index')::integer, (info ->> 'run')::uuid, (info ->> 'claim_size')::integer,
    coalesce(info ->> 'isolation', 'self'), info ->> 'slots_from', info ->> 'claim_size_from',
    (info ->> 'access_key')::uuid
  )
  on conflict (id) do update
    set "group" = excluded."group", queues = excluded.queues, weights = excluded.weights, tasks = excluded.tasks,
        lease = excluded.lease, lease_until = excluded.lease_until, renewed_at = excluded.renewed_at,
        slots = excluded.slots, state = 'working', stopped_at = null, rescued_at = null, lost_jobs = null,
        left_as = null, isolation = excluded.isolation, metadata = excluded.metadata,
        slots_from = excluded.slots_from, claim_size_from = excluded.claim_size_from,
        access_key = excluded.access_key;
  return at + lease;
exception
  when invalid_text_representation or numeric_value_out_of_range or invalid_parameter_value or check_violation then
    raise exception using
      errcode = 'HF002',
      message = format('info is invalid: %s.', left(sqlerrm, 200)),
      hint = 'slots and pid must be integers, slots at least 1, tasks a list of names, weights an object of numbers,'
        ' and isolation one of self, children and only.';
end
$$;
