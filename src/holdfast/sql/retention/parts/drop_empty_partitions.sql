-- Drops past partitions of history that are empty; returns how many.
create or replace function holdfast.drop_empty_partitions(at timestamptz)
returns integer
language plpgsql volatile
set lock_timeout = '2s'
as $$
declare
  name    text;
  is_used boolean;
  dropped integer := 0;
begin
  for name in
    select c.relname
    from pg_inherits as i
    join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = 'holdfast.history'::regclass
      and c.relname ~ '^history_[0-9]{4}w[0-9]{2}$'
      and c.relname < 'history_' || to_char((at - interval '2 weeks') at time zone 'UTC', 'IYYY"w"IW')
    order by c.relname
  loop
    begin
      execute format('select exists (select from holdfast.%I)', name) into is_used;
      if not is_used then
        execute format('drop table holdfast.%I', name);
        dropped := dropped + 1;
      end if;
    exception
      when lock_not_available then
        raise notice 'partition % is in use and was not dropped', name;
    end;
  end loop;
  return dropped;
end
$$;
