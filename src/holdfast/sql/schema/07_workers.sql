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
  lost_jobs   integer,
  drain_asked boolean not null default false,
  slots       integer not null default 1,
  running     integer not null default 0,
  processed   bigint not null default 0,
  failed      bigint not null default 0,
  released    bigint not null default 0,
  host        text,
  pid         integer,
  version     text,
  started_at  timestamptz not null,
  stopped_at  timestamptz,
  metadata    jsonb,
  box_until   timestamptz,
  continues   boolean not null default false,
  link        integer,
  run_id      uuid,
  claim_size  integer,
  isolation   text not null default 'self',
  alone_with  uuid,
  database_seconds jsonb,
  left_as     text,
  slots_from  text,
  claim_size_from text,
  access_key  uuid,
  memory      bigint,
  cpu         double precision,
  loop_lag    interval,
  constraint worker_left_as_known check (left_as in ('stopped', 'done', 'time_box')),
  constraint worker_sources_known check (
    slots_from in ('option', 'group', 'flag', 'default') and claim_size_from in ('option', 'group', 'flag', 'default')),
  constraint worker_isolation_known check (isolation in ('self', 'children', 'only')),
  constraint worker_state_known check (state in ('working', 'draining', 'stopped')),
  constraint worker_stopped_has_time check ((state = 'stopped') = (stopped_at is not null)),
  constraint worker_lease_positive check (lease > '0'),
  constraint worker_slots_positive check (slots >= 1)
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
-- Workers that claim_message registers. No renewal changes these columns.
create index workers_messages on holdfast.workers (access_key) where metadata ? 'claims_messages';
comment on table holdfast.workers
  is 'A worker: a process that claims and runs jobs, with its lease. No index on what a renewal changes.';
comment on column holdfast.workers.id is 'Random, one per process start.';
comment on column holdfast.workers."group" is 'Workers that are alike; empty means none.';
comment on column holdfast.workers.queues is 'Queues it claims from.';
comment on column holdfast.workers.weights is 'Its own weights of queues, which win over the queues''.';
comment on column holdfast.workers.tasks is 'Tasks it has handlers for.';
comment on column holdfast.workers.state is 'working, draining or stopped.';
comment on column holdfast.workers.lease is 'How long a renewal is good for.';
comment on column holdfast.workers.lease_until is 'Until when its right to the jobs it claimed lasts.';
comment on column holdfast.workers.renewed_at is 'Last heartbeat.';
comment on column holdfast.workers.rescued_at
  is 'When its jobs were taken from it, if it has not been heard from since.';
comment on column holdfast.workers.lost_jobs
  is 'How many jobs it held when they were taken from it: a single one is the only suspect.';
comment on column holdfast.workers.drain_asked is 'An operator asked it to finish and go.';
comment on column holdfast.workers.slots is 'How many jobs it runs at once.';
comment on column holdfast.workers.running is 'Jobs it said it was running at the last heartbeat.';
comment on column holdfast.workers.processed
  is 'Attempts that ended in it so far, well or badly; what it gave back or put off is not among them.';
comment on column holdfast.workers.failed is 'Attempts that failed in it so far.';
comment on column holdfast.workers.released is 'Jobs it gave back unfinished so far.';
comment on column holdfast.workers.host is 'Host it runs on.';
comment on column holdfast.workers.pid is 'Process id on that host.';
comment on column holdfast.workers.version is 'Version of its application.';
comment on column holdfast.workers.started_at is 'When it registered.';
comment on column holdfast.workers.stopped_at is 'When it left.';
comment on column holdfast.workers.metadata is 'Whatever it tells about itself.';
comment on column holdfast.workers.box_until is 'When its time box ends; null without one.';
comment on column holdfast.workers.continues
  is 'Whether a successor is owed: true from its start until it has found that none is needed.';
comment on column holdfast.workers.link is 'Its place in a chain of workers that follow each other.';
comment on column holdfast.workers.run_id is 'Run it was started for.';
comment on column holdfast.workers.claim_size is 'How many jobs it takes in one time box, as given or as measured.';
comment on column holdfast.workers.isolation
  is 'How it treats suspects: runs each alone itself (self), starts workers of their own for them (children), or is'
    ' such a worker (only).';
comment on column holdfast.workers.alone_with
  is 'The last suspect it claimed; while it holds that one it claims nothing else.';
comment on column holdfast.workers.database_seconds
  is 'How long its handlers have waited for the database so far: {queue: {task: seconds}}.';
comment on column holdfast.workers.slots_from
  is 'Where its slots come from: its own option, the flag of its group, the flag for all, or the default.';
comment on column holdfast.workers.claim_size_from is 'The same of its claim size.';
comment on column holdfast.workers.access_key
  is 'Access key that registered it over HTTP, and alone may speak for it; null for a worker with its own connection.';
comment on column holdfast.workers.memory is 'Memory of its process that is in RAM, in bytes.';
comment on column holdfast.workers.cpu is 'Cores that its process used between the last two heartbeats.';
comment on column holdfast.workers.loop_lag
  is 'Longest delay of its event loop in the ten seconds before the heartbeat.';
comment on column holdfast.workers.left_as
  is 'Why it stopped, by its own word: a stop request (stopped), no work left (done) or the end of its time box'
    ' (time_box).';

create table holdfast.continuations (
  id         uuid primary key,
  cause      text not null,
  worker_id  uuid,
  run_id     uuid,
  "group"    text not null default '',
  queues     text[] not null,
  link       integer not null default 0,
  claim_size integer,
  remaining  bigint,
  checkpoint jsonb,
  asked_at   timestamptz not null,
  due_at     timestamptz not null,
  sent_at    timestamptz,
  sent       integer not null default 0,
  error      text,
  taken_at   timestamptz,
  taken_by   uuid,
  closed_at  timestamptz,
  constraint continuation_cause_known check (cause in ('time_box', 'lost', 'rescue', 'run')),
  constraint continuation_taken_by_somebody check ((taken_at is null) = (taken_by is null)),
  constraint continuation_has_one_end check (taken_at is null or closed_at is null)
) with (fillfactor = 70);
create unique index continuations_of_worker on holdfast.continuations (worker_id) where worker_id is not null;
create unique index continuations_rescue on holdfast.continuations (run_id)
  where cause = 'rescue' and taken_at is null and closed_at is null;
create index continuations_open on holdfast.continuations (due_at) where taken_at is null and closed_at is null;
create index continuations_of_run on holdfast.continuations (run_id) where run_id is not null;
comment on table holdfast.continuations
  is 'A worker that is to be started: asked for, sent, and taken by the worker that it became.';
comment on column holdfast.continuations.id is 'UUID version 7; the new worker names it when it registers.';
comment on column holdfast.continuations.cause
  is 'Why: the time box of a worker ended (time_box), a worker vanished (lost), jobs of a run were lost (rescue), a'
    ' run started (run).';
comment on column holdfast.continuations.worker_id is 'Worker that it follows; each has one successor.';
comment on column holdfast.continuations.run_id is 'Run that it works for.';
comment on column holdfast.continuations."group" is 'Group of the new worker.';
comment on column holdfast.continuations.queues is 'Queues of the new worker.';
comment on column holdfast.continuations.link is 'Place of the new worker in its chain.';
comment on column holdfast.continuations.claim_size is 'How many jobs a worker takes in one time box.';
comment on column holdfast.continuations.remaining is 'Jobs that were left when it was asked for or sent last.';
comment on column holdfast.continuations.checkpoint is 'What the chain has done so far.';
comment on column holdfast.continuations.asked_at is 'When it was asked for.';
comment on column holdfast.continuations.due_at is 'Before that the new worker claims nothing.';
comment on column holdfast.continuations.sent_at
  is 'When the callback was last sent; null if it is still to be sent or failed.';
comment on column holdfast.continuations.sent is 'How often the callback was sent.';
comment on column holdfast.continuations.error is 'Why the callback failed last.';
comment on column holdfast.continuations.taken_at is 'When a worker took it.';
comment on column holdfast.continuations.taken_by is 'The worker that it became.';
comment on column holdfast.continuations.closed_at is 'When it was found that nothing is left to do.';

create table holdfast.avoided_lanes (
  worker_id uuid not null,
  lane      integer not null,
  until     timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index avoided_lanes_worker on holdfast.avoided_lanes (worker_id, lane);
comment on table holdfast.avoided_lanes
  is 'Lanes that a worker leaves alone for a while, because it got a task there that it does not know. Rows are only'
    ' added: two ends of one worker never wait for each other.';
comment on column holdfast.avoided_lanes.worker_id is 'The worker.';
comment on column holdfast.avoided_lanes.lane is 'The lane.';
comment on column holdfast.avoided_lanes.until is 'Until when it claims nothing there.';
