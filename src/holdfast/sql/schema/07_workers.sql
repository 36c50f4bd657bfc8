-- Workers. A lease belongs to a worker, not to a job: one row, one update per renewal for all its jobs.

create table holdfast.workers (
  id          uuid primary key,
  "group"     text not null default '',
  queues      text[] not null,
  weights     jsonb not null default '{}',
  tasks       text[] not null default '{}',
  state       text not null default 'working',
  lease       interval not null,
  lease_until timestamptz not null,
  renewed_at  timestamptz not null,
  rescued_at  timestamptz,
  drain_asked boolean not null default false,
  slots       integer not null default 1,
  running     integer not null default 0,
  processed   bigint not null default 0,
  failed      bigint not null default 0,
  host        text,
  pid         integer,
  version     text,
  started_at  timestamptz not null,
  stopped_at  timestamptz,
  metadata    jsonb,
  constraint worker_state_known check (state in ('working', 'draining', 'stopped')),
  constraint worker_stopped_has_time check ((state = 'stopped') = (stopped_at is not null)),
  constraint worker_lease_positive check (lease > '0'),
  constraint worker_slots_positive check (slots >= 1)
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table holdfast.workers is 'A worker: a process that claims and runs jobs, with its lease. No index on what a renewal changes.';
comment on column holdfast.workers.id is 'Random, one per process start.';
comment on column holdfast.workers."group" is 'Workers that are alike; empty means none.';
comment on column holdfast.workers.queues is 'Queues it claims from.';
comment on column holdfast.workers.weights is 'Its own weights of queues, which win over the queues''.';
comment on column holdfast.workers.tasks is 'Tasks it has handlers for.';
comment on column holdfast.workers.state is 'working, draining or stopped.';
comment on column holdfast.workers.lease is 'How long a renewal is good for.';
comment on column holdfast.workers.lease_until is 'Until when its right to the jobs it claimed lasts.';
comment on column holdfast.workers.renewed_at is 'Last heartbeat.';
comment on column holdfast.workers.rescued_at is 'When its jobs were taken from it, if it has not been heard from since.';
comment on column holdfast.workers.drain_asked is 'An operator asked it to finish and go.';
comment on column holdfast.workers.slots is 'How many jobs it runs at once.';
comment on column holdfast.workers.running is 'Jobs it said it was running at the last heartbeat.';
comment on column holdfast.workers.processed is 'Jobs it has ended or put off so far.';
comment on column holdfast.workers.failed is 'Attempts that failed in it so far.';
comment on column holdfast.workers.host is 'Host it runs on.';
comment on column holdfast.workers.pid is 'Process id on that host.';
comment on column holdfast.workers.version is 'Version of its application.';
comment on column holdfast.workers.started_at is 'When it registered.';
comment on column holdfast.workers.stopped_at is 'When it left.';
comment on column holdfast.workers.metadata is 'Whatever it tells about itself.';
