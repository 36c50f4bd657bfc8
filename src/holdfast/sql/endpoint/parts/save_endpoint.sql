-- Writes back the state of an endpoint that the caller has locked.
-- PL/pgSQL reads fields of a record at no cost; a SQL function would deform the whole record for each field.
create or replace function holdfast.save_endpoint(e holdfast.endpoints)
returns void
language plpgsql volatile
as $$
begin
  update holdfast.endpoints as t
  set "limit" = e.limit, in_flight = e.in_flight, before = e.before, slow_start_until = e.slow_start_until,
      last_cut = e.last_cut, evidence = e.evidence, ceiling = e.ceiling, ceiling_until = e.ceiling_until,
      ceiling_k = e.ceiling_k, successes = e.successes, errors = e.errors, by_units = e.by_units, samples = e.samples,
      recent = e.recent, base = e.base, tolerance = e.tolerance, slow_limit = e.slow_limit, slow_s = e.slow_s,
      dip_after = e.dip_after, next_trial = e.next_trial, trial_since = e.trial_since, trial_base = e.trial_base,
      trial_y = e.trial_y, trial_n = e.trial_n, trial_sum = e.trial_sum, trial_k = e.trial_k, circuit = e.circuit,
      open_until = e.open_until, open_for = e.open_for, probes = e.probes, last_probe = e.last_probe, streak = e.streak,
      last_ok = e.last_ok, blocked_until = e.blocked_until, rate = e.rate, peak = e.peak, rate_clock = e.rate_clock,
      last_rate_cut = e.last_rate_cut, delivered_sum = e.delivered_sum, delivered_at = e.delivered_at,
      delivered_since = e.delivered_since, starts = e.starts, reserved = e.reserved,
      spent_day = e.spent_day, spent = e.spent, totals = e.totals, second = e.second,
      second_started = e.second_started, second_ok = e.second_ok, second_failed = e.second_failed,
      second_limited = e.second_limited, second_other = e.second_other, second_units = e.second_units,
      second_took = e.second_took
  where t.name = e.name;
end
$$;
