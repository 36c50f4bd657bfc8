-- Creates an endpoint with the defaults if there is none; an existing one is not locked. Refuses . and .. as its name.
create or replace function holdfast.name_endpoint(endpoint text)
returns void
language plpgsql volatile
as $$
declare
  now constant double precision := extract(epoch from holdfast.now());
begin
  insert into holdfast.endpoints (
    name, "limit", before, slow_start_until, last_cut, ceiling_until, next_trial, open_until, open_for,
    last_probe, last_ok, blocked_until, rate_clock, delivered_at, expires_at
  )
  values (endpoint, 2, 2, 64, now - 61, now, now + 60, now, 5, now, now, now, now, now, holdfast.expiry_if_unused())
  on conflict do nothing;
  if found then
    if endpoint in ('.', '..') then
      perform holdfast.refuse_reserved(endpoint);
    end if;
    insert into holdfast.locks (name) values ('endpoint ' || endpoint) on conflict do nothing;
  end if;
end
$$;
