-- running -> rejected: the handler decided against the job. Its stage may say that this is a retry, or a dead letter.
create or replace function holdfast.reject_jobs(ids uuid[], tokens uuid[], details jsonb[], outputs json[] default null)
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  ended uuid[] := '{}';
begin
  if exists (select from holdfast.stages as s where s.on_reject <> 'end') then
    ended := holdfast.reject_by_policy(ids, tokens, details);
  end if;
  ended := ended || holdfast.end_jobs(
    ids, tokens, 'rejected', outputs,
    array(select holdfast.sanitise_text(d ->> 'reason') from unnest(details) with ordinality as u (d, i) order by i),
    array(select holdfast.read_number(d -> 'units') from unnest(details) with ordinality as u (d, i) order by i)
  );
  return query select i from unnest(ids) as i where i <> all (ended);
end
$$;
comment on function holdfast.reject_jobs(uuid[], uuid[], jsonb[], json[]) is 'Rejects running jobs with a reason; returns those that were lost.';
