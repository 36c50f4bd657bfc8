-- What nobody declared and nothing uses is removed after thirty days. A queue or endpoint with a setting of its own was declared.
alter table holdfast.queues add column expires_at timestamptz;
comment on column holdfast.queues.expires_at is 'When to remove it unless something uses it by then; null: it was declared, and stays.';
update holdfast.queues as q set expires_at = clock_timestamp() + interval '30 days'
where (q.priority, q.max_failures, q.retry, q.timeout, q.ageing, q.endpoint) is not distinct from (null, null, null, null, null, null)
  and (q.max_losses, q.max_wait, q.rescue_delay, q.cancel_grace, q.weight, q.detail, q.retention, q.payload_limit, q.notify, q.is_limited)
    = (3, interval '24 hours', interval '0', interval '30 seconds', 1, 'basic', interval '30 days', 262144, true, false);
create index queues_expiry on holdfast.queues (expires_at) where expires_at is not null;

-- A default that is the same for all rows does not write the table anew.
alter table holdfast.lanes add column expires_at timestamptz not null default now() + interval '30 days';
alter table holdfast.lanes alter column expires_at set default clock_timestamp() + interval '30 days';
comment on column holdfast.lanes.expires_at is 'When to remove it unless it holds jobs then; ends of its jobs put that off, at most once a day.';
create index lanes_queue on holdfast.lanes (queue, lane);
create index lanes_endpoint on holdfast.lanes (endpoint) where endpoint <> '';
create index lanes_expiry on holdfast.lanes (expires_at);

create table holdfast.past_lanes (
  lane       integer primary key,
  queue      text not null,
  endpoint   text not null,
  "group"    text not null,
  task       text not null,
  is_capped  boolean not null,
  removed_at timestamptz not null
);
comment on table holdfast.past_lanes is 'Lanes that were removed because nothing used them. Ended jobs still carry their numbers.';
comment on column holdfast.past_lanes.lane is 'Number that ended jobs carry.';
comment on column holdfast.past_lanes.queue is 'Queue of its jobs.';
comment on column holdfast.past_lanes.endpoint is 'Endpoint of its jobs; empty means none.';
comment on column holdfast.past_lanes."group" is 'Group of its jobs; empty means any.';
comment on column holdfast.past_lanes.task is 'Task of its jobs, if that one had a limit; empty means any other.';
comment on column holdfast.past_lanes.is_capped is 'Whether the runs of its jobs had a budget.';
comment on column holdfast.past_lanes.removed_at is 'When it was removed.';

alter table holdfast.endpoints add column expires_at timestamptz;
comment on column holdfast.endpoints.expires_at is 'When to remove it unless something uses it by then; null: it was declared, and stays.';
update holdfast.endpoints as e set expires_at = clock_timestamp() + interval '30 days'
where (e.static_rate, e.requests_per_minute, e.units_per_minute, e.budget_per_day, e.estimate, e.fallback) is not distinct from (null, null, null, null, null, null)
  and (e.mode, e.min_limit, e.max_limit, e.trip_failures, e.trip_quiet, e.open_first, e.open_max, e.price, e.shares, e.pause)
    = ('flow', 1, 64, 5, 10, 5, 20, 0, '{}'::jsonb, 30);
