-- Sets the given keys of a queue's or task's limit (max_concurrent, rate); true if it has a limit then.
create or replace function holdfast.set_limit(of_kind text, of_name text, given jsonb)
returns boolean
language plpgsql volatile
as $$
declare
  before holdfast.limits;
  after  holdfast.limits;
  rate   record;
begin
  select l.* into before from holdfast.limits as l where l.kind = of_kind and l.name = of_name;
  after := before;
  if given ? 'max_concurrent' then
    after.max_concurrent := holdfast.read_max_concurrent(given -> 'max_concurrent');
  end if;
  if given ? 'rate' then
    select * into rate from holdfast.read_rate(given -> 'rate');
    after.rate_starts := rate.starts;
    after.rate_period := rate.period;
    after.rate := holdfast.rate_words(rate.starts, rate.period);
  end if;
  if after is not distinct from before then
    -- Nothing is locked, because claims skip a locked limit.
    return before.name is not null;
  elsif after.max_concurrent is null and after.rate_starts is null then
    delete from holdfast.limits as l where l.kind = of_kind and l.name = of_name;
    delete from holdfast.limit_starts as s where s.kind = of_kind and s.name = of_name;
    return false;
  end if;
  -- An existing limit has its jobs marked; a new one has to find them.
  insert into holdfast.limits as l (kind, name, max_concurrent, rate_starts, rate_period, rate, changed_at)
  values (of_kind, of_name, after.max_concurrent, after.rate_starts, after.rate_period, after.rate, holdfast.now())
  on conflict (kind, name) do update
    set max_concurrent = excluded.max_concurrent, rate_starts = excluded.rate_starts,
        rate_period = excluded.rate_period, rate = excluded.rate,
        changed_at = case
          when l.max_concurrent is distinct from excluded.max_concurrent then excluded.changed_at
          else l.changed_at
        end;
  if before.rate_starts is distinct from after.rate_starts then
    perform holdfast.resize_ring(l) from holdfast.limits as l where l.kind = of_kind and l.name = of_name;
  end if;
  return true;
end
$$;
