-- What a call takes from the rate: its units, else the estimate, else 1.
create or replace function holdfast.call_amount(units double precision, estimate double precision)
returns double precision
language sql immutable
as $$
  select coalesce(units, estimate, 1)
$$;
