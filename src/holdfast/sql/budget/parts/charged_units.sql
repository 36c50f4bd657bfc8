-- The units that an attempt is charged: what it reports, else its estimate if it made a call that went well.
create or replace function holdfast.charged_units(used double precision, is_ok_call boolean, estimate double precision)
returns double precision
language sql immutable parallel safe
as $$
  select coalesce(used, case when is_ok_call then estimate end)
$$;
