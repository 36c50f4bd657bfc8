-- A short text that stands for the queues and tasks of an access key, whatever their order; null for a key for all.
create or replace function holdfast.access_scope(queues text[], tasks text[])
returns text
language sql immutable
as $$
  select 'scope:' || left(encode(sha256(convert_to(
    jsonb_build_array(
      (select jsonb_agg(q order by q collate "C") from (select distinct unnest(queues)) as u (q)),
      (select jsonb_agg(t order by t collate "C") from (select distinct unnest(tasks)) as u (t))
    )::text, 'utf8')), 'hex'), 16)
  where queues is not null or tasks is not null
$$;
