-- running -> completed: ends jobs with their outputs; returns those whose token is outdated.
create or replace function holdfast.complete_jobs(ids uuid[], tokens uuid[], outputs json[], details jsonb[] default null)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  ended uuid[] := holdfast.end_jobs(
    ids, tokens, 'completed', outputs, null,
    case when details is not null then array(select holdfast.read_number(d -> 'units') from unnest(details) with ordinality as u (d, i) order by i) end
  );
begin
  if cardinality(ended) < cardinality(ids) then
    return query select i from unnest(ids) as i where i <> all (ended);
  end if;
end
$$;
comment on function holdfast.complete_jobs(uuid[], uuid[], json[], jsonb[]) is 'Completes running jobs; returns those that were lost to another worker.';
