-- Returns what an endpoint did, second by second, for up to six hours: calls, outcomes, units, limit, circuit, rate.
create or replace function holdfast.endpoint_history(endpoint text, since interval default '10 minutes')
returns table (
  at timestamptz, started integer, ok integer, failed integer, limited integer, other integer, units double precision,
  mean_seconds double precision, "limit" double precision, in_flight integer, circuit text, rate double precision
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with seconds as (
    select s.second, s.started, s.ok, s.failed, s.limited, s.other, s.units, s.took, s.limit, s.in_flight, s.circuit,
      s.rate
    from holdfast.endpoint_seconds as s
    where s.endpoint = endpoint_history.endpoint
    union all
    -- The current second is still in the endpoint's own row.
    select
      e.second, e.second_started, e.second_ok, e.second_failed, e.second_limited, e.second_other, e.second_units,
      e.second_took, e.limit, e.in_flight, e.circuit, e.rate
    from holdfast.endpoints as e
    where e.name = endpoint_history.endpoint
      and e.second_started + e.second_ok + e.second_failed + e.second_limited + e.second_other > 0
  )
  select
    to_timestamp(s.second), s.started, s.ok, s.failed, s.limited, s.other, s.units,
    s.took / nullif(s.ok, 0), s.limit, s.in_flight, s.circuit, s.rate
  from seconds as s
  where s.second >= extract(epoch from holdfast.now() - least(since, interval '6 hours'))
  order by s.second
$$;
