-- Endpoints: the services that jobs call, and how much they may call them. One row each; every update of it is HOT.
-- Times are seconds since the epoch on the database's clock, rates are units per second: plain numbers for the rules.

create type holdfast.call_totals as (
  ok      bigint,
  failed  bigint,
  limited bigint,
  other   bigint,
  units   double precision,
  took    double precision,
  cost    double precision
);
comment on type holdfast.call_totals
  is 'Calls of an endpoint since it was first named, by outcome, with the units that they used, the seconds that its'
    ' successful calls took, and the money.';

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
  fallback            text,
  pause               double precision not null default 30,
  held_open           boolean not null default false,
  -- Limit
  before              double precision not null,
  slow_start_until    double precision not null,
  last_cut            double precision not null,
  ceiling             double precision,
  ceiling_until       double precision not null,
  ceiling_k           integer not null default 0,
  successes           integer not null default 0,
  errors              integer not null default 0,
  -- Latency
  by_units            boolean,
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
  blocked_until       double precision not null,
  refused_at          double precision,
  -- Rate
  rate                double precision,
  peak                double precision not null default 0,
  rate_clock          double precision not null,
  last_rate_cut       double precision,
  delivered_since     double precision,
  -- Budgets
  spent_day           date,
  spent               double precision not null default 0,
  -- Lasting totals change once a second. One field: every rule passes the whole row on.
  totals              holdfast.call_totals not null default (0, 0, 0, 0, 0, 0, 0)::holdfast.call_totals,
  -- What every call changes stands together: the rest of the row is then left out of the update's WAL.
  "limit"             double precision not null,
  recent              double precision,
  base                double precision,
  samples             integer not null default 0,
  streak              integer not null default 0,
  evidence            double precision not null default 0,
  last_ok             double precision not null,
  delivered_sum       double precision not null default 0,
  delivered_at        double precision not null,
  -- The second under way: only a whole one is written to endpoint_seconds.
  second              bigint not null default 0,
  second_failed       integer not null default 0,
  second_limited      integer not null default 0,
  second_other        integer not null default 0,
  second_ok           integer not null default 0,
  second_units        double precision not null default 0,
  second_took         double precision not null default 0,
  -- And of these a start changes the last.
  reserved            double precision not null default 0,
  in_flight           integer not null default 0,
  starts              bigint not null default 0,
  second_started      integer not null default 0,
  expires_at          timestamptz,
  constraint endpoint_name_is_short check (length(name) between 1 and 200),
  constraint endpoint_in_flight_not_negative check (in_flight >= 0)
-- One page per endpoint: while older snapshots are open, free space for row versions keeps updates heap-only (HOT).
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200, fillfactor = 10);
create index endpoints_price on holdfast.endpoints (price);


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
);

comment on table holdfast.endpoints is 'An endpoint: a downstream service that jobs call, with its limits and health.';
comment on column holdfast.endpoints.name is 'What jobs and queues call it.';
comment on column holdfast.endpoints.mode is 'How its limit is found: fixed, aimd, aimd_simple or flow.';
comment on column holdfast.endpoints.min_limit is 'Least calls at once.';
comment on column holdfast.endpoints.max_limit is 'Most calls at once.';
comment on column holdfast.endpoints.trip_failures is 'So many failures in a row open the circuit, …';
comment on column holdfast.endpoints.trip_quiet is '… if there was no good answer for so many seconds.';
comment on column holdfast.endpoints.open_first is 'Seconds that the circuit is open at first.';
comment on column holdfast.endpoints.open_max is 'Seconds that it is open at most.';
comment on column holdfast.endpoints.static_rate is 'Units per second that are never exceeded.';
comment on column holdfast.endpoints.requests_per_minute is 'Most starts in any sliding minute.';
comment on column holdfast.endpoints.units_per_minute is 'Most units in any sliding minute, settled and reserved.';
comment on column holdfast.endpoints.budget_per_day is 'Most money in a day (UTC), settled and reserved.';
comment on column holdfast.endpoints.price is 'Money per unit.';
comment on column holdfast.endpoints.estimate is 'Units that a call is expected to use, if the job does not say.';
comment on column holdfast.endpoints.shares
  is 'Queues with a guaranteed part of the permits: {queue: part between 0 and 1}.';
comment on column holdfast.endpoints.fallback is 'Endpoint that takes its calls while it is down; null: they wait.';
comment on column holdfast.endpoints.pause
  is 'Seconds without calls after it refused us or a call failed by a fault of ours.';
comment on column holdfast.endpoints.refused_at is 'When it was last reported that it refuses us.';
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
comment on column holdfast.endpoints.last_ok is 'When a call was last answered well, with success or not.';
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
comment on column holdfast.endpoints.totals
  is 'Calls since it was first named, without those of the second under way. They never fall; see endpoint_total_view.';
comment on column holdfast.endpoints.second is 'The second under way, since the epoch.';
comment on column holdfast.endpoints.second_started is 'Calls started in it so far.';
comment on column holdfast.endpoints.second_ok is 'Calls that succeeded in it so far.';
comment on column holdfast.endpoints.second_failed is 'Calls that failed in it so far.';
comment on column holdfast.endpoints.second_limited is 'Calls answered with too many in it so far.';
comment on column holdfast.endpoints.second_other is 'Calls that ended otherwise in it so far.';
comment on column holdfast.endpoints.second_units is 'Units used by calls that ended in it so far.';
comment on column holdfast.endpoints.second_took is 'Seconds that its successful calls took, summed.';
comment on column holdfast.endpoints.expires_at
  is 'When to remove it unless something uses it by then; null: it was declared, and stays.';
comment on table holdfast.endpoint_starts
  is 'A ring of the latest starts of an endpoint with requests_per_minute: the slot to be written next is the oldest.';
comment on column holdfast.endpoint_starts.endpoint is 'The endpoint.';
comment on column holdfast.endpoint_starts.slot is 'Place in the ring.';
comment on column holdfast.endpoint_starts.at is 'When that call started.';
comment on table holdfast.endpoint_seconds
  is 'What an endpoint did, second by second, for charts and for sliding minutes; kept for six hours.';
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

-- A call's permit, as functions pass it on; no table has it.
create type holdfast.permit as (
  lane     integer,
  started  double precision,
  place    integer,
  is_probe boolean,
  expected double precision,
  used     double precision
);
comment on type holdfast.permit
  is 'What a running job holds of its endpoint: the lane that names it, when the call started, how many calls ran then,'
    ' whether it is a probe, the units expected, and those used. Only between functions; no table has it.';
