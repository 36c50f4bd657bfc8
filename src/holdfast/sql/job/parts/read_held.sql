-- The rows of locked jobs, each with the detail of its end.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.read_held(ids uuid[], details jsonb[])
returns table (job holdfast.jobs, detail jsonb)
language plpgsql stable
as $$
begin
  return query
    select j, coalesce(e.detail, '{}')
    from rows from (unnest(ids), unnest(details)) as e (id, detail)
    join holdfast.jobs as j on j.id = e.id
    where j.id = any (ids);
end
$$;
