-- Raises HF005 if an access key has as many live workers besides this one as it may; null: the worker has no key.
create or replace function holdfast.check_key_workers(key uuid, worker uuid)
returns void
language plpgsql stable
as $$
begin
  if key is not null and (
    select count(*) >= 10000
    from holdfast.workers as w
    where w.access_key = key
      and w.state <> 'stopped'
      and w.lease_until > holdfast.now()
      and w.id <> worker
  ) then
    perform holdfast.refuse('HF005', 'The access key has 10000 live workers, which is the limit.',
      'Stop workers that are not needed, or wait until their leases end; one worker can have many slots.');
  end if;
end
$$;
