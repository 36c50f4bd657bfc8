-- running -> rejected | scheduled | dead: ends locked jobs that their handlers decided against.
-- Those whose stage turns a rejection into a retry or a dead letter fail instead.
create or replace function holdfast.settle_rejections(ids uuid[], outputs json[], details jsonb[])
returns void
language plpgsql volatile
as $$
declare
  failed uuid[] := '{}';
begin
  if exists (select from holdfast.stages as s where s.on_reject <> 'end') then
    failed := holdfast.reject_by_policy(ids, details);
  end if;
  perform holdfast.end_jobs(
    r.ids, null, 'rejected', r.outputs, r.reasons, holdfast.units_of(r.details))
  from (
    select
      array_agg(e.id) as ids, array_agg(e.output) as outputs, array_agg(e.detail) as details,
      array_agg(holdfast.sanitise_text(e.detail ->> 'reason')) as reasons
    from unnest(ids, outputs, details) as e (id, output, detail)
    where e.id <> all (failed)
  ) as r
  where r.ids is not null;
end
$$;
