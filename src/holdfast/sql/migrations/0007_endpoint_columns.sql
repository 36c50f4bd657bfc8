-- What every call changes stands together at the end of the row, and the second under way is counted in it:
-- a start or an end of a call then writes little, and endpoint_seconds only once a second. Settings are checked where they are
-- set: PostgreSQL reads every CHECK anew for each write of a row.
drop view if exists holdfast.endpoint_view;

alter table holdfast.endpoints
  alter column "limit" drop not null,
  alter column samples drop not null,
  alter column streak drop not null,
  alter column evidence drop not null,
  alter column last_ok drop not null,
  alter column delivered_sum drop not null,
  alter column delivered_at drop not null,
  alter column reserved drop not null,
  alter column in_flight drop not null,
  alter column starts drop not null;
alter table holdfast.endpoints rename column "limit" to limit_before;
alter table holdfast.endpoints rename column recent to recent_before;
alter table holdfast.endpoints rename column base to base_before;
alter table holdfast.endpoints rename column samples to samples_before;
alter table holdfast.endpoints rename column streak to streak_before;
alter table holdfast.endpoints rename column evidence to evidence_before;
alter table holdfast.endpoints rename column last_ok to last_ok_before;
alter table holdfast.endpoints rename column delivered_sum to delivered_sum_before;
alter table holdfast.endpoints rename column delivered_at to delivered_at_before;
alter table holdfast.endpoints rename column reserved to reserved_before;
alter table holdfast.endpoints rename column in_flight to in_flight_before;
alter table holdfast.endpoints rename column starts to starts_before;

alter table holdfast.endpoints
  add column "limit" double precision not null default 0,
  add column recent double precision,
  add column base double precision,
  add column samples integer not null default 0,
  add column streak integer not null default 0,
  add column evidence double precision not null default 0,
  add column last_ok double precision not null default 0,
  add column delivered_sum double precision not null default 0,
  add column delivered_at double precision not null default 0,
  add column second bigint not null default 0,
  add column second_failed integer not null default 0,
  add column second_limited integer not null default 0,
  add column second_other integer not null default 0,
  add column second_ok integer not null default 0,
  add column second_units double precision not null default 0,
  add column second_took double precision not null default 0,
  add column reserved double precision not null default 0,
  add column in_flight integer not null default 0,
  add column starts bigint not null default 0,
  add column second_started integer not null default 0;

update holdfast.endpoints
set "limit" = limit_before,
    recent = recent_before,
    base = base_before,
    samples = samples_before,
    streak = streak_before,
    evidence = evidence_before,
    last_ok = last_ok_before,
    delivered_sum = delivered_sum_before,
    delivered_at = delivered_at_before,
    reserved = reserved_before,
    in_flight = in_flight_before,
    starts = starts_before;

alter table holdfast.endpoints
  drop constraint endpoint_mode_known,
  drop constraint endpoint_circuit_known,
  drop constraint endpoint_range_is_a_range,
  drop constraint endpoint_breaker_positive,
  drop constraint endpoint_requests_in_range,
  drop constraint endpoint_units_positive,
  drop constraint endpoint_money_not_negative,
  drop constraint endpoint_estimate_not_negative,
  drop column limit_before,
  drop column recent_before,
  drop column base_before,
  drop column samples_before,
  drop column streak_before,
  drop column evidence_before,
  drop column last_ok_before,
  drop column delivered_sum_before,
  drop column delivered_at_before,
  drop column reserved_before,
  drop column in_flight_before,
  drop column starts_before;

alter table holdfast.endpoints
  alter column "limit" drop default,
  alter column last_ok drop default,
  alter column delivered_at drop default,
  add constraint endpoint_in_flight_not_negative check (in_flight >= 0),
  set (fillfactor = 10);

alter table holdfast.endpoint_seconds reset (fillfactor);

comment on column holdfast.endpoints."limit" is 'Calls that may run at once now.';
comment on column holdfast.endpoints.recent is 'Short mean of the logarithm of seconds per unit.';
comment on column holdfast.endpoints.base is 'The same without load.';
comment on column holdfast.endpoints.samples is 'Successes measured.';
comment on column holdfast.endpoints.streak is 'Failures in a row.';
comment on column holdfast.endpoints.evidence is 'Of overload: failures add, successes take off.';
comment on column holdfast.endpoints.last_ok is 'When a call last succeeded.';
comment on column holdfast.endpoints.delivered_sum is 'Decayed sum of units delivered.';
comment on column holdfast.endpoints.delivered_at is 'When that was last updated.';
comment on column holdfast.endpoints.reserved is 'Units that running calls are expected to use.';
comment on column holdfast.endpoints.in_flight is 'Calls that run now: permits given out.';
comment on column holdfast.endpoints.starts is 'Calls started in all; the place in the ring of starts.';
comment on column holdfast.endpoints.second is 'The second under way, since the epoch.';
comment on column holdfast.endpoints.second_started is 'Calls started in it so far.';
comment on column holdfast.endpoints.second_ok is 'Calls that succeeded in it so far.';
comment on column holdfast.endpoints.second_failed is 'Calls that failed in it so far.';
comment on column holdfast.endpoints.second_limited is 'Calls answered with too many in it so far.';
comment on column holdfast.endpoints.second_other is 'Calls that ended otherwise in it so far.';
comment on column holdfast.endpoints.second_units is 'Units used by calls that ended in it so far.';
comment on column holdfast.endpoints.second_took is 'Seconds that its successful calls took, summed.';
