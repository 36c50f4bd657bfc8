-- What units cost at the endpoint of a lane; null if that has no price.
create or replace function holdfast.cost_of_units(units double precision, lane integer)
returns double precision
language sql stable
as $$
  select units * (
    select e.price
    from holdfast.endpoints as e
    where e.name = (select l.endpoint from holdfast.lanes as l where l.lane = cost_of_units.lane)
      and e.price > 0
  )
$$;
