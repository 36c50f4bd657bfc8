-- Units per second delivered in about the last minute; the divisor corrects a sum that is younger than that.
create or replace function holdfast.delivered(e holdfast.endpoints, now double precision)
returns double precision
language sql immutable
as $$
  select case when e.delivered_since is null then 0 else
    e.delivered_sum * holdfast.faded(now - e.delivered_at) / 60
      / (1 - holdfast.faded(greatest(5, now - e.delivered_since)))
  end
$$;
