-- Endpoints: what jobs call, and how much of it they may. One row each; every change of it is HOT.
-- Times are seconds since the epoch on the database's clock, rates are units per second: the rules are arithmetic on them.

create table holdfast.endpoints (
  name                text primary key,
  -- Configuration
  mode                text not null default 'flow',
  min_limit           double precision not null default 1,
  max_limit           double precision not null default 64,
  trip_failures       integer not null default 5,
  trip_quiet          double precision not null default 10,
  open_first          double precision not null default 5,
  open_max            double precision not null default 20,
  static_rate         double precision,
  requests_per_minute integer,
  units_per_minute    double precision,
  budget_per_day      double precision,
  price               double precision not null default 0,
  estimate            double precision,
  shares              jsonb not null default '{}',
  held_open           boolean not null default false,
  -- Limit
  "limit"             double precision not null,
  in_flight           integer not null default 0,
  before              double precision not null,
  slow_start_until    double precision not null,
  last_cut            double precision not null,
  evidence            double precision not null default 0,
  ceiling             double precision,
  ceiling_until       double precision not null,
  ceiling_k           integer not null default 0,
  successes           integer not null default 0,
  errors              integer not null default 0,
  -- Latency
  by_units            boolean,
  samples             integer not null default 0,
  recent              double precision,
  base                double precision,
  tolerance           double precision not null default 1.2,
  slow_limit          double precision,
  slow_s              double precision,
  dip_after           double precision not null default 600,
  -- Trial of a higher limit
  next_trial          double precision not null,
  trial_since         double precision,
  trial_base          double precision,
  trial_y             double precision,
  trial_n             integer not null default 0,
  trial_sum           double precision not null default 0,
  trial_k             integer not null default 0,
  -- Circuit
  circuit             text not null default 'closed',
  open_until          double precision not null,
  open_for            double precision not null,
  probes              integer not null default 0,
  last_probe          double precision not null,
  streak              integer not null default 0,
  last_ok             double precision not null,
  blocked_until       double precision not null,
  -- Rate
  rate                double precision,
  peak                double precision not null default 0,
  rate_clock          double precision not null,
  last_rate_cut       double precision,
  delivered_sum       double precision not null default 0,
  delivered_at        double precision not null,
  delivered_since     double precision,
  -- Budgets
  starts              bigint not null default 0,
  reserved            double precision not null default 0,
  spent_day           date,
  spent               double precision not null default 0,
  constraint endpoint_name_is_short check (length(name) between 1 and 200),
  constraint endpoint_mode_known check (mode in ('fixed', 'aimd', 'aimd_simple', 'flow')),
  constraint endpoint_circuit_known check (circuit in ('closed', 'open', 'half_open')),
  constraint endpoint_range_is_a_range check (min_limit >= 1 and max_limit >= min_limit and max_limit <= 10000),
  constraint endpoint_in_flight_not_negative check (in_flight >= 0),
  constraint endpoint_breaker_positive check (trip_failures >= 1 and trip_quiet >= 0 and open_first > 0 and open_max >= open_first),
  constraint endpoint_requests_in_range check (requests_per_minute between 1 and 100000),
  constraint endpoint_units_positive check (units_per_minute > 0 and static_rate > 0),
  constraint endpoint_money_not_negative check (budget_per_day between 0 and 1e15 and price between 0 and 1e15),
  constraint endpoint_estimate_not_negative check (estimate between 0 and 1e15)
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

create table holdfast.endpoint_starts (
  endpoint text not null,
  slot     integer not null,
  at       double precision not null,
  constraint endpoint_starts_pkey primary key (endpoint, slot)
) with (fillfactor = 50);

create table holdfast.endpoint_seconds (
  endpoint   text not null,
  second     bigint not null,
  started    integer not null default 0,
  ok         integer not null default 0,
  failed     integer not null default 0,
  limited    integer not null default 0,
  other      integer not null default 0,
  units      double precision not null default 0,
  took       double precision not null default 0,
  "limit"    double precision,
  in_flight  integer,
  circuit    text,
  rate       double precision,
  constraint endpoint_seconds_pkey primary key (endpoint, second)
) with (fillfactor = 50);

comment on table holdfast.endpoints is 'An endpoint: a downstream service that jobs call, with its limits and health.';
comment on column holdfast.endpoints.name is 'What jobs and queues call it.';
comment on column holdfast.endpoints.mode is 'How its limit is found: fixed, aimd, aimd_simple or flow.';
comment on column holdfast.endpoints.min_limit is 'Least calls at once.';
comment on column holdfast.endpoints.max_limit is 'Most calls at once.';
comment on column holdfast.endpoints.trip_failures is 'So many failures in a row open the circuit, …';
comment on column holdfast.endpoints.trip_quiet is '… if there was no success for so many seconds.';
comment on column holdfast.endpoints.open_first is 'Seconds that the circuit is open at first.';
comment on column holdfast.endpoints.open_max is 'Seconds that it is open at most.';
comment on column holdfast.endpoints.static_rate is 'Units per second that are never exceeded.';
comment on column holdfast.endpoints.requests_per_minute is 'Most starts in any sliding minute.';
comment on column holdfast.endpoints.units_per_minute is 'Most units in any sliding minute, settled and reserved.';
comment on column holdfast.endpoints.budget_per_day is 'Most money in a day (UTC), settled and reserved.';
comment on column holdfast.endpoints.price is 'Money per unit.';
comment on column holdfast.endpoints.estimate is 'Units that a call is expected to use, if the job does not say.';
comment on column holdfast.endpoints.shares is 'Queues with a guaranteed part of the permits: {queue: part between 0 and 1}.';
comment on column holdfast.endpoints.held_open is 'An operator keeps the circuit open.';
comment on column holdfast.endpoints."limit" is 'Calls that may run at once now.';
comment on column holdfast.endpoints.in_flight is 'Calls that run now: permits given out.';
comment on column holdfast.endpoints.before is 'Limit before the first cut of a series.';
comment on column holdfast.endpoints.slow_start_until is 'Below it the limit grows fast.';
comment on column holdfast.endpoints.last_cut is 'When the limit was last cut.';
comment on column holdfast.endpoints.evidence is 'Of overload: failures add, successes take off.';
comment on column holdfast.endpoints.ceiling is 'Level at which errors appeared.';
comment on column holdfast.endpoints.ceiling_until is 'Until when the limit stays below the ceiling.';
comment on column holdfast.endpoints.ceiling_k is 'Steps above the ceiling that failed, at most 4.';
comment on column holdfast.endpoints.successes is 'Modes aimd: successes counted.';
comment on column holdfast.endpoints.errors is 'Modes aimd: errors counted.';
comment on column holdfast.endpoints.by_units is 'Whether latency is measured per unit; null until the first success.';
comment on column holdfast.endpoints.samples is 'Successes measured.';
comment on column holdfast.endpoints.recent is 'Short mean of the logarithm of seconds per unit.';
comment on column holdfast.endpoints.base is 'The same without load.';
comment on column holdfast.endpoints.tolerance is 'Slow-down that is accepted.';
comment on column holdfast.endpoints.slow_limit is 'Limit when it became too slow.';
comment on column holdfast.endpoints.slow_s is 'Slow-down then.';
comment on column holdfast.endpoints.dip_after is 'Seconds without a cut until the next dip.';
comment on column holdfast.endpoints.next_trial is 'Earliest time of the next trial of a higher limit.';
comment on column holdfast.endpoints.trial_since is 'When the trial began; null: none is on.';
comment on column holdfast.endpoints.trial_base is 'Limit to go back to.';
comment on column holdfast.endpoints.trial_y is 'Recent latency when it began.';
comment on column holdfast.endpoints.trial_n is 'Calls measured in it.';
comment on column holdfast.endpoints.trial_sum is 'Their latencies.';
comment on column holdfast.endpoints.trial_k is 'Trials without gain in a row, at most 4.';
comment on column holdfast.endpoints.circuit is 'closed, open or half_open.';
comment on column holdfast.endpoints.open_until is 'Until when it is open.';
comment on column holdfast.endpoints.open_for is 'Length of the present or next opening.';
comment on column holdfast.endpoints.probes is 'Probes that are out.';
comment on column holdfast.endpoints.last_probe is 'When the last probe started.';
comment on column holdfast.endpoints.streak is 'Failures in a row.';
comment on column holdfast.endpoints.last_ok is 'When a call last succeeded.';
comment on column holdfast.endpoints.blocked_until is 'Nothing starts before.';
comment on column holdfast.endpoints.rate is 'Units per second at present; null: off.';
comment on column holdfast.endpoints.peak is 'Rate at which it said too many.';
comment on column holdfast.endpoints.rate_clock is 'When all that was admitted will have been delivered.';
comment on column holdfast.endpoints.last_rate_cut is 'When the rate was last cut.';
comment on column holdfast.endpoints.delivered_sum is 'Decayed sum of units delivered.';
comment on column holdfast.endpoints.delivered_at is 'When that was last updated.';
comment on column holdfast.endpoints.delivered_since is 'First delivery.';
comment on column holdfast.endpoints.starts is 'Calls started in all; the place in the ring of starts.';
comment on column holdfast.endpoints.reserved is 'Units that running calls are expected to use.';
comment on column holdfast.endpoints.spent_day is 'Day that spent is for.';
comment on column holdfast.endpoints.spent is 'Money spent on that day.';
comment on table holdfast.endpoint_starts is 'A ring of the latest starts of an endpoint with requests_per_minute: the slot to be written next is the oldest.';
comment on column holdfast.endpoint_starts.endpoint is 'The endpoint.';
comment on column holdfast.endpoint_starts.slot is 'Place in the ring.';
comment on column holdfast.endpoint_starts.at is 'When that call started.';
comment on table holdfast.endpoint_seconds is 'What an endpoint did, second by second, for charts and for sliding minutes; kept for six hours.';
comment on column holdfast.endpoint_seconds.endpoint is 'The endpoint.';
comment on column holdfast.endpoint_seconds.second is 'The second since the epoch.';
comment on column holdfast.endpoint_seconds.started is 'Calls started in it.';
comment on column holdfast.endpoint_seconds.ok is 'Calls that succeeded in it.';
comment on column holdfast.endpoint_seconds.failed is 'Calls that failed in it.';
comment on column holdfast.endpoint_seconds.limited is 'Calls answered with too many.';
comment on column holdfast.endpoint_seconds.other is 'Calls that ended otherwise.';
comment on column holdfast.endpoint_seconds.units is 'Units used by calls that ended in it.';
comment on column holdfast.endpoint_seconds.took is 'Seconds that successful calls took, summed.';
comment on column holdfast.endpoint_seconds."limit" is 'Limit at its end.';
comment on column holdfast.endpoint_seconds.in_flight is 'Calls running at its end.';
comment on column holdfast.endpoint_seconds.circuit is 'Circuit at its end.';
comment on column holdfast.endpoint_seconds.rate is 'Rate at its end.';
