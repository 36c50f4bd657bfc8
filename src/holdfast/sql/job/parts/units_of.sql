-- The units that the details of a call's ends report, in their order; null if there are no details.
create or replace function holdfast.units_of(details jsonb[])
returns double precision[]
language sql immutable parallel safe
as $$
  select case when array_remove(details, null) <> '{}' then
    array(select holdfast.read_number(d -> 'units') from unnest(details) with ordinality as u (d, i) order by i)
  end
$$;
