-- Writes back the state of an endpoint that the caller has locked.
create or replace function holdfast.save_endpoint(e holdfast.endpoints)
returns void
language sql volatile
as $$
  update holdfast.endpoints as t
  set ("limit", in_flight, before, slow_start_until, last_cut, evidence, ceiling, ceiling_until, ceiling_k, successes, errors,
       by_units, samples, recent, base, tolerance, slow_limit, slow_s, dip_after,
       next_trial, trial_since, trial_base, trial_y, trial_n, trial_sum, trial_k,
       circuit, open_until, open_for, probes, last_probe, streak, last_ok, blocked_until,
       rate, peak, rate_clock, last_rate_cut, delivered_sum, delivered_at, delivered_since,
       starts, reserved, spent_day, spent)
    = (e.limit, e.in_flight, e.before, e.slow_start_until, e.last_cut, e.evidence, e.ceiling, e.ceiling_until, e.ceiling_k, e.successes, e.errors,
       e.by_units, e.samples, e.recent, e.base, e.tolerance, e.slow_limit, e.slow_s, e.dip_after,
       e.next_trial, e.trial_since, e.trial_base, e.trial_y, e.trial_n, e.trial_sum, e.trial_k,
       e.circuit, e.open_until, e.open_for, e.probes, e.last_probe, e.streak, e.last_ok, e.blocked_until,
       e.rate, e.peak, e.rate_clock, e.last_rate_cut, e.delivered_sum, e.delivered_at, e.delivered_since,
       e.starts, e.reserved, e.spent_day, e.spent)
  where t.name = e.name
$$;
comment on function holdfast.save_endpoint(holdfast.endpoints) is 'Writes back the state of an endpoint that the caller has locked.';
