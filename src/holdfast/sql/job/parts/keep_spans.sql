-- Stores with locked jobs which span their ending attempt had, so that the next attempt can be linked to it.
-- A job without a trace joins that of its first attempt. An odd value changes nothing: it must not prevent an end.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.keep_spans(ids uuid[], details jsonb[])
returns void
language plpgsql volatile
as $$
begin
  update holdfast.jobs as j
  set trace = jsonb_build_object('traceparent', e.detail -> 'trace') || coalesce(j.trace, '{}')
    || jsonb_build_object('attempt', e.detail -> 'trace')
  from rows from (unnest(ids), unnest(details)) as e (id, detail)
  where j.id = any (ids)
    and j.id = e.id
    and holdfast.is_traceparent(e.detail ->> 'trace');
end
$$;
