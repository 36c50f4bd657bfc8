-- running -> cancelled: the handler obeyed a request to cancel.
create or replace function holdfast.cancel_claimed(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  ended uuid[] := holdfast.end_jobs(
    ids, tokens, 'cancelled', null,
    array(select coalesce(holdfast.sanitise_text(d ->> 'reason'), 'asked to cancel while running') from unnest(details) with ordinality as u (d, i) order by i),
    array(select holdfast.read_number(d -> 'units') from unnest(details) with ordinality as u (d, i) order by i)
  );
begin
  return query select i from unnest(ids) as i where i <> all (ended);
end
$$;
comment on function holdfast.cancel_claimed(uuid[], uuid[], jsonb[]) is 'Ends running jobs whose handler obeyed a cancel; returns those that were lost.';
