-- running -> as each end says, then ready -> running: one round trip and one commit for a worker's whole turn.
create or replace function holdfast.settle_and_claim(
  worker uuid, n integer, ids uuid[], tokens uuid[], verbs text[], outputs json[], details jsonb[]
)
returns table (
  kind text, job_id uuid, token uuid, task text, queue text, payload json, attempt integer, failures integer, losses integer,
  priority integer, run uuid, stage text, generation integer, visit integer, labels jsonb, order_key text,
  started_at timestamptz, ready_at timestamptz, stop_after interval, due_in interval
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  found integer;
begin
  if cardinality(ids) > 0 then
    return query
      select note.*
      from holdfast.settle_jobs(ids, tokens, verbs, outputs, details) as lost
      cross join lateral holdfast.note_row('lost', null, lost, tokens[array_position(ids, lost)]) as note;
  end if;
  if n > 0 and not holdfast.has_lease(worker) then
    -- Not an error: that would undo the ends, and a late owner whom nobody replaced may finish.
    return query select * from holdfast.note_row('lapsed', null);
  elsif n > 0 then
    return query select 'job', c.*, null::interval from holdfast.claim_jobs(worker, n) as c;
    get diagnostics found = row_count;
    if found < n then
      return query select * from holdfast.note_row('next', holdfast.next_due());
    end if;
  end if;
end
$$;
comment on function holdfast.settle_and_claim(uuid, integer, uuid[], uuid[], text[], json[], jsonb[])
  is 'Settles any mix of ends, then claims up to n jobs. Rows: lost (that end changed nothing), job (claimed), next (how long until something is due), lapsed (renew the lease first).';
