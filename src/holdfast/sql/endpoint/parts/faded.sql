-- How much of what was delivered so many seconds ago counts now: a minute makes it e times less.
-- Bounded, because exp() of less than -745 raises an underflow, which a pause of twelve hours would reach.
create or replace function holdfast.faded(seconds double precision)
returns double precision
language sql immutable
as $$
  select exp(-least(seconds / 60, 700))
$$;
