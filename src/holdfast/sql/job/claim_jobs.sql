-- ready -> running: leases up to n jobs to a worker, lane by lane, under one new token.
create or replace function holdfast.claim_jobs(worker uuid, n integer)
returns table (
  job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer, losses integer,
  priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb, order_key text,
  started_at timestamptz, ready_at timestamptz, stop_after interval
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
-- Plans must not depend on statistics: a queue's table is often analysed while empty.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  mark    constant uuid := gen_random_uuid();
  at      constant timestamptz := holdfast.now();
  wanted  integer := n;
  got     integer;
  visited record;
  noted   boolean := false;
begin
  if not holdfast.has_lease(worker) then
    perform holdfast.refuse('HF006', format('The worker %s has no lease.', worker),
      'Call holdfast.register_worker or holdfast.renew_lease first, and drop the jobs claimed before.');
  end if;
  perform holdfast.promote_due(at, greatest(n, 100));
  for visited in
    select lane, is_full from holdfast.lanes_of(worker)
  loop
    return query
      update holdfast.jobs as j
      set state = 'running',
          worker_id = worker,
          token = mark,
          attempt = j.attempt + 1,
          started_at = at,
          stop_at = least(at + j.timeout, j.deadline)
      where j.id = any (array(
        select c.id
        from holdfast.jobs as c
        where c.lane = visited.lane
          and c.state = 'ready'
        order by c.urgency desc, c.rank_at, c.id
        limit wanted
        for update skip locked
      ))
      returning
        j.id, mark, j.task, j.queue,
        case when j.payload is null then (select p.payload from holdfast.payloads as p where p.job_id = j.id) else j.payload end,
        j.attempt, j.failures, j.losses, j.priority::integer, j.run_id, j.stage, j.generation, j.visit, j.labels, j.order_key,
        j.started_at, j.rank_at + coalesce(j.lead, '0'), j.stop_at - at;
    get diagnostics got = row_count;
    wanted := wanted - got;
    noted := noted or got > 0 and visited.is_full;
    exit when wanted <= 0;
  end loop;
  if noted then
    perform holdfast.record_starts(worker, mark);
  end if;
end
$$;
comment on function holdfast.claim_jobs(uuid, integer)
  is 'Leases up to n ready jobs to a registered worker and returns them. Every later write for them must carry the token.';
