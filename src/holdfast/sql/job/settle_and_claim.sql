-- running -> as each end says, then ready -> running: one round trip and one commit for a worker's whole turn.
create or replace function holdfast.settle_and_claim(
  worker uuid, n integer, ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[]
)
returns table (
  kind text, job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer, losses integer,
  priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb, order_key text,
  started_at timestamptz, ready_at timestamptz, stop_after interval, endpoint text, due_in interval
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
-- Plans must not depend on statistics. And before PostgreSQL 18 a disabled way that is the only one looks so dear that it would be compiled: 45 ms.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  mark    constant uuid := gen_random_uuid();
  wanted  integer := n;
  noted   boolean := false;
  at      timestamptz;
  visited record;
  chosen  uuid[];
  places  integer[];
  probing boolean;
  guesses double precision[];
  held    double precision[];
  permit  integer;
  served  text;
  again   timestamptz;
  is_last boolean;
begin
  if cardinality(ids) > 0 then
    return query
      select note.* from holdfast.settle_jobs(ids, tokens, verbs, outputs, details) as lost
      cross join lateral holdfast.note_row('lost', null, lost, tokens[array_position(ids, lost)]) as note;
  end if;
  if coalesce(n, 0) <= 0 then
    return;
  elsif not holdfast.has_lease(worker) then
    -- Not an error: that would undo the ends, and a late owner whom nobody replaced may finish.
    return query select * from holdfast.note_row('lapsed', null);
    return;
  end if;
  at := holdfast.now();
  perform holdfast.promote_due(at, greatest(n, 100));
  for visited in select lane, queue, endpoint, is_special, is_full, is_suspect from holdfast.lanes_of(worker) loop
    if visited.endpoint = '' and not visited.is_special and not visited.is_suspect then
      select holdfast.ready_jobs(visited.lane, wanted, at), null, null, null, null, null, null into chosen, places, probing, guesses, held, permit, served;
    else
      select a.ids, a.places, a.is_probe, a.estimates, a.reserved, a.permit_lane, a.endpoint, least(again, a.until), a.at, a.is_last
      into chosen, places, probing, guesses, held, permit, served, again, at, is_last
      from holdfast.admit_lane(visited.lane, visited.queue, visited.endpoint, visited.is_special, wanted, at, case when visited.is_suspect then worker end) as a;
    end if;
    return query
      update holdfast.jobs as j
      set state = 'running', worker_id = worker, token = mark, attempt = j.attempt + 1,
          started_at = greatest(at, j.rank_at + coalesce(j.lead, '0')), stop_at = least(at + j.timeout, j.deadline),
          in_flight_at_start = places[array_position(chosen, j.id)], is_probe = probing, permit_lane = permit,
          reserved_units = guesses[array_position(chosen, j.id)], reserved = held[array_position(chosen, j.id)], is_limited = nullif(visited.is_special, false)
      where j.id = any (chosen)
      returning
        'job', j.id, mark, j.task, j.queue,
        case when j.payload is null then (select p.payload from holdfast.payloads as p where p.job_id = j.id) else j.payload end,
        j.attempt, j.failures, j.losses, j.priority::integer, j.run_id, j.stage, j.generation, j.visit, j.labels, j.order_key,
        j.started_at, j.rank_at + coalesce(j.lead, '0'), j.stop_at - at, served, null::interval;
    wanted := wanted - cardinality(chosen);
    noted := noted or cardinality(chosen) > 0 and visited.is_full;
    exit when wanted <= 0 or is_last;
  end loop;
  perform holdfast.record_starts(worker, mark) where noted;
  if wanted > 0 then
    return query select * from holdfast.note_row('next', least(holdfast.next_due(), again - at));
  end if;
end
$$;
comment on function holdfast.settle_and_claim(uuid, integer, uuid[], uuid[], text[], json[], jsonb[])
  is 'Settles any mix of ends, then claims up to n jobs. Rows: lost (that end changed nothing), job (claimed), next (how long until something is due), lapsed (renew the lease first).';
