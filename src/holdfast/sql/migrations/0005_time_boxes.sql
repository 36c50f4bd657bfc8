-- Time boxes: what a worker with one tells of itself, and the workers that are to follow.

alter table holdfast.workers
  add column released bigint not null default 0,
  add column box_until timestamptz,
  add column continues boolean not null default false,
  add column link integer,
  add column run_id uuid,
  add column claim_size integer;
comment on column holdfast.workers.processed is 'Attempts that ended in it so far, well or badly; what it gave back or put off is not among them.';
comment on column holdfast.workers.released is 'Jobs it gave back unfinished so far.';
comment on column holdfast.workers.box_until is 'When its time box ends; null without one.';
comment on column holdfast.workers.continues is 'Whether a successor is owed: true from its start until it has found that none is needed.';
comment on column holdfast.workers.link is 'Its place in a chain of workers that follow each other.';
comment on column holdfast.workers.run_id is 'Run it was started for.';
comment on column holdfast.workers.claim_size is 'How many jobs it takes in one time box, as given or as measured.';

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
create unique index continuations_rescue on holdfast.continuations (run_id) where cause = 'rescue' and taken_at is null and closed_at is null;
create index continuations_open on holdfast.continuations (due_at) where taken_at is null and closed_at is null;
create index continuations_of_run on holdfast.continuations (run_id) where run_id is not null;
comment on table holdfast.continuations is 'A worker that is to be started: asked for, sent, and taken by the worker that it became.';
comment on column holdfast.continuations.id is 'UUID version 7; the new worker names it when it registers.';
comment on column holdfast.continuations.cause is 'Why: the time box of a worker ended (time_box), a worker vanished (lost), jobs of a run were lost (rescue), a run started (run).';
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
comment on column holdfast.continuations.sent_at is 'When the callback was last sent; null if it is still to be sent or failed.';
comment on column holdfast.continuations.sent is 'How often the callback was sent.';
comment on column holdfast.continuations.error is 'Why the callback failed last.';
comment on column holdfast.continuations.taken_at is 'When a worker took it.';
comment on column holdfast.continuations.taken_by is 'The worker that it became.';
comment on column holdfast.continuations.closed_at is 'When it was found that nothing is left to do.';
