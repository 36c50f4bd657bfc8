-- running -> as each end says, then ready -> running: ends jobs and claims new ones in one commit.
-- ids, tokens, verbs, outputs and details are parallel arrays. A verb is complete, fail, snooze, release, reject,
-- advance, wait or cancel; its detail is that of the verb of the same name, and may have the attempt's traceparent, as
-- trace. n is the room for new jobs, 0 for none. kind of a row: job (claimed), lost (that end changed nothing: its
-- token is outdated), next (due_in says when something may start), lapsed (nothing claimed: call renew_lease first).
-- chosen: the one job that may be claimed, as claim_job does; null means any.
-- plan: no seqscan, no bitmapscan, no sort, generic
create or replace function holdfast.settle_and_claim(
  worker uuid, n integer, ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[],
  chosen uuid default null
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
  mark    constant uuid := gen_random_uuid();
  wanted  integer := n;
  noted   boolean := false;
  at      timestamptz;
  visited record;
  picked  record;
  again   timestamptz;
  of_lane integer;
begin
  if cardinality(ids) > 0 then
    return query
      select note.* from holdfast.settle_jobs(ids, tokens, verbs, outputs, details) as lost
      cross join lateral holdfast.note_row('lost', null, lost, tokens[array_position(ids, lost)]) as note;
  end if;
  if coalesce(n, 0) <= 0 then
    return;
  elsif not holdfast.has_lease(worker) then
    -- No error: it would undo the ends, and the owner of a lapsed lease may finish as long as its token is valid.
    return query select * from holdfast.note_row('lapsed', null);
    return;
  end if;
  at := holdfast.now();
  perform holdfast.promote_due(at, greatest(n, 100));
  if chosen is not null then
    of_lane := coalesce((select j.lane from holdfast.jobs as j where j.id = chosen), 0);
  end if;
  for visited in select lane, queue, endpoint, is_special, is_full, is_suspect from holdfast.lanes_of(worker) loop
    continue when visited.lane <> of_lane;
    if visited.endpoint = '' and not visited.is_special and not visited.is_suspect and chosen is null then
      select
        holdfast.choose_next_jobs(visited.lane, wanted, at) as ids, at, null::integer[] as places,
        null::boolean as is_probe, null::double precision[] as estimates, null::double precision[] as reserved,
        null::integer as permit_lane, null::text as endpoint, null::timestamptz as until, false as is_last
      into picked;
    else
      select a.* into picked
      from holdfast.admit_lane(visited.lane, visited.queue, visited.endpoint, visited.is_special, wanted, at,
        case when visited.is_suspect then worker end, chosen) as a;
      at := picked.at;
      again := least(again, picked.until);
    end if;
    return query
      update holdfast.jobs as j
      set state = 'running', worker_id = worker, token = mark, attempt = j.attempt + 1,
          started_at = greatest(at, j.rank_at + coalesce(j.lead, '0')), stop_at = least(at + j.timeout, j.deadline),
          in_flight_at_start = picked.places[array_position(picked.ids, j.id)], is_probe = picked.is_probe,
          permit_lane = picked.permit_lane, reserved = picked.reserved[array_position(picked.ids, j.id)],
          reserved_units = picked.estimates[array_position(picked.ids, j.id)],
          is_limited = nullif(visited.is_special, false)
      where j.id = any (picked.ids)
      returning
        'job', j.id, mark, j.task, j.queue,
        coalesce(j.payload, (select p.payload from holdfast.payloads as p where p.job_id = j.id)), j.attempt,
        j.failures, j.losses, j.priority::integer, j.run_id, j.stage, j.generation, j.visit, j.labels, j.order_key,
        j.started_at, j.rank_at + coalesce(j.lead, '0'), j.stop_at - at, picked.endpoint, null::interval, j.trace;
    wanted := wanted - cardinality(picked.ids);
    noted := noted or cardinality(picked.ids) > 0 and visited.is_full;
    exit when wanted <= 0 or picked.is_last;
  end loop;
  perform holdfast.record_starts(worker, mark) where noted;
  if wanted > 0 then
    return query select * from holdfast.note_row('next', least(holdfast.next_due(), again - at));
  end if;
end
$$;
