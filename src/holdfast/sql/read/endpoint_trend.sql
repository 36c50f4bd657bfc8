-- Returns what an endpoint did in each of so many slices of the last six hours or less: calls, outcomes, units, limit.
-- mean_seconds is that of good answers; limit and in_flight are the highest of the slice. Slices without a call are
-- left out; they are numbered from 0, the oldest. The last one ends at until, or with the current
-- minute.
create or replace function holdfast.endpoint_trend(endpoint text, since interval default '6 hours',
  slices integer default 48, until timestamptz default null)
returns table (
  slice integer, started bigint, ok bigint, failed bigint, limited bigint, other bigint, units double precision,
  mean_seconds double precision, "limit" integer, in_flight integer
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  span  constant double precision := extract(epoch from least(greatest(since, '1 minute'), '6 hours'));
  step  constant double precision := span / least(greatest(slices, 1), 1000);
  began constant double precision := extract(epoch from
    coalesce(until, date_trunc('minute', holdfast.now()) + interval '1 minute')) - span;
begin
  return query
    with seconds as (
      select s.second, s.started, s.ok, s.failed, s.limited, s.other, s.units, s.took, s.limit, s.in_flight
      from holdfast.endpoint_seconds as s
      where s.endpoint = endpoint_trend.endpoint
        and s.second >= began
        and s.second < began + span
      union all
      -- The current second is still in the endpoint's own row.
      select
        e.second, e.second_started, e.second_ok, e.second_failed, e.second_limited, e.second_other, e.second_units,
        e.second_took, e.limit, e.in_flight
      from holdfast.endpoints as e
      where e.name = endpoint_trend.endpoint
        and e.second >= began
        and e.second < began + span
        and e.second_started + e.second_ok + e.second_failed + e.second_limited + e.second_other > 0
    )
    select
      floor((s.second - began) / step)::integer, sum(s.started)::bigint, sum(s.ok)::bigint, sum(s.failed)::bigint,
      sum(s.limited)::bigint, sum(s.other)::bigint, sum(s.units), sum(s.took) / nullif(sum(s.ok), 0),
      max(floor(s.limit))::integer, max(s.in_flight)
    from seconds as s
    group by 1
    order by 1;
end
$$;
