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
      -- Mostly all keys are free, and without "on conflict" the call costs a seventh less: no token is written first.
      insert into holdfast.unique_keys
      select k.* from holdfast.keys_in_order(ids, scopes, keys, hashes, lives, at) as k;
      return;
    exception
      when unique_violation then
        null;
    end;
    begin
      insert into holdfast.unique_keys
      select k.* from holdfast.keys_in_order(ids, scopes, keys, hashes, lives, at) as k
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
