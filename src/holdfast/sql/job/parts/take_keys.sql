-- Takes the unique keys of a call. made is null if all jobs are new; else ids holds the jobs that have their keys.
create or replace function holdfast.take_keys(
  inout ids uuid[], tasks text[], payloads json[], o record, own record, out made boolean[]
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at      constant timestamptz := holdfast.now();
  keys    constant text[] := coalesce(own.unique_key, array_fill(o.unique_key, array[cardinality(ids)]));
  asked   constant integer := cardinality(array_remove(keys, null));
  scopes  text[];
  lives   text[];
  hashes  bytea[];
  got     integer;
  held    record;
begin
  select
    array_agg(coalesce(scope, o.unique_scope, task, tasks[1])),
    array_agg(coalesce(life, o.unique_for, 'live')),
    array_agg(case when key is not null then
      sha256(convert_to(coalesce(task, tasks[1]) || ':' || payload::jsonb::text, 'utf8'))
        || coalesce(sha256(convert_to(o.unique_request, 'utf8')), '') end)
  into scopes, lives, hashes
  from rows from (unnest(keys), unnest(payloads), unnest(tasks), unnest(own.unique_scope), unnest(own.unique_for))
    as u (key, payload, task, scope, life);
  -- Raises an error for a period that is none.
  perform holdfast.read_interval(to_jsonb(life)) from (select distinct unnest(lives)) as u (life)
  where life not in ('live', 'forever');
  if asked > 1 then
    begin
      -- Sorted, so that two calls that share keys wait for each other in one order and cannot deadlock.
      insert into holdfast.unique_keys (scope, key, job_id, payload_hash, until_end, expires_at)
      select
        scope, key, id, hash, life = 'live',
        case when life not in ('live', 'forever') then at + life::interval end
      from rows from (unnest(ids), unnest(scopes), unnest(keys), unnest(hashes), unnest(lives)) with ordinality
        as u (id, scope, key, hash, life, i)
      where key is not null
      order by scope collate "C", key collate "C", i
      on conflict do nothing;
      get diagnostics got = row_count;
      if got = asked then
        return;
      end if;
      select * into held from holdfast.find_holders(ids, scopes, keys, hashes, at);
      -- A key was freed, or has expired. To take it now, with higher keys in hand, could deadlock: give all back.
      if held.is_gone then
        raise exception using errcode = 'HF999';
      end if;
      ids := held.holders;
      made := held.made;
      return;
    exception
      when sqlstate 'HF999' then
        null;
    end;
  end if;
  select t.ids, t.made into ids, made from holdfast.take_each_key(ids, scopes, keys, hashes, lives) as t;
end
$$;
