-- Until when a lane, queue or endpoint that is used now is kept: thirty days from now.
create or replace function holdfast.expiry_if_unused()
returns timestamptz
language sql stable
as $$
  select holdfast.now() + interval '30 days'
$$;
