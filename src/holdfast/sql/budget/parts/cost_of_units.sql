-- What units cost at the endpoint of a lane; null if that has no price.
create or replace function holdfast.cost_of_units(units double precision, lane integer)
returns double precision
language sql stable
as $$
  select units * e.price
  from holdfast.lanes as l
  join holdfast.endpoints as e on e.name = l.endpoint
  where l.lane = cost_of_units.lane
    and e.price > 0
$$;
