-- Until when a lane, queue or endpoint that is used now is kept: thirty days.
create or replace function holdfast.keep_until()
returns timestamptz
language sql stable
as $$
  select holdfast.now() + interval '30 days'
$$;
comment on function holdfast.keep_until() is 'Until when a lane, queue or endpoint that is used now is kept.';
