-- Raises an error for an access key that cannot be stored.
create or replace function holdfast.check_access_key(
  name text, role text, hash bytea, queues text[], tasks text[], expires_in interval
)
returns void
language plpgsql stable
as $$
declare
  wrong text;
begin
  if coalesce(length(name), 0) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of an access key must have 1 to 200 characters.',
      'Name the key after the program that uses it.');
  end if;
  if role is null or role not in ('viewer', 'producer', 'worker', 'operator', 'admin') then
    perform holdfast.refuse('HF002',
      format('role must be viewer, producer, worker, operator or admin (got %s).', coalesce(left(role, 200), 'null')),
      'Choose the weakest role that is sufficient.');
  end if;
  wrong := case
    when cardinality(queues) not between 1 and 100 or array_ndims(queues) > 1 then 'queues'
    when cardinality(tasks) not between 1 and 100 or array_ndims(tasks) > 1 then 'tasks'
    when exists (select from unnest(queues) as q where coalesce(length(q), 0) not between 1 and 200) then 'queues'
    when exists (select from unnest(tasks) as t where coalesce(length(t), 0) not between 1 and 200) then 'tasks'
  end;
  if wrong is not null then
    perform holdfast.refuse('HF002',
      format('%s must be a list of 1 to 100 names of at most 200 characters.', wrong),
      format('To allow all %1$s, leave out %1$s.', wrong));
  end if;
  if expires_in <= interval '0' or expires_in > interval '1000 years' then
    perform holdfast.refuse('HF002',
      format('expires_in must be more than 0 and at most 1000 years (got %s).', expires_in),
      'Pass for example ''90 days''.');
  end if;
  perform holdfast.check_access_hash(hash);
end
$$;
