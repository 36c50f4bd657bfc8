-- What people look at afterwards: dead letters and the audit trail.

create table holdfast.dead_letters (
  job_id      uuid primary key,
  generation  integer not null,
  queue       text not null,
  task        text not null,
  run_id      uuid,
  reason      text not null,
  class       text,
  error_type  text,
  message     text,
  place       text,
  fingerprint text not null,
  died_at     timestamptz not null,
  status      text not null default 'open',
  assignee    text,
  replays     integer not null default 0,
  replayed_at timestamptz,
  replayed_by text,
  outcome     text,
  replaced_by uuid,
  constraint dead_letter_status_known check (status in ('open', 'investigating', 'resolved', 'ignored'))
);
create index dead_letters_by_time on holdfast.dead_letters (died_at, job_id) where replayed_at is null;
create index dead_letters_open on holdfast.dead_letters (queue) where replayed_at is null and status = 'open';
create index dead_letters_replaced on holdfast.dead_letters (replaced_by) where replaced_by is not null;
comment on table holdfast.dead_letters is 'A job that ended badly, under triage. It stays when the job is replayed.';
comment on column holdfast.dead_letters.job_id is 'The job.';
comment on column holdfast.dead_letters.generation is 'Life of the job that ended so.';
comment on column holdfast.dead_letters.queue is 'Queue it died in.';
comment on column holdfast.dead_letters.task is 'Task it died in.';
comment on column holdfast.dead_letters.run_id is 'Run it belongs to.';
comment on column holdfast.dead_letters.reason
  is 'Why it is dead: failed_too_often, lost_too_often, permanent, deferred_too_long, deadline_passed, child_failed or'
    ' given_up.';
comment on column holdfast.dead_letters.class is 'Class of its last error.';
comment on column holdfast.dead_letters.error_type is 'Type of its last error.';
comment on column holdfast.dead_letters.message is 'Its last error message.';
comment on column holdfast.dead_letters.place is 'Where in the code its last error was raised.';
comment on column holdfast.dead_letters.fingerprint
  is 'Same for errors that are alike; the reason where there was no error.';
comment on column holdfast.dead_letters.died_at is 'When it died.';
comment on column holdfast.dead_letters.status is 'Triage: open, investigating, resolved or ignored.';
comment on column holdfast.dead_letters.assignee is 'Who looks into it.';
comment on column holdfast.dead_letters.replays is 'How often it was replayed.';
comment on column holdfast.dead_letters.replayed_at is 'When it was replayed; null while the job is dead.';
comment on column holdfast.dead_letters.replayed_by is 'Who replayed it.';
comment on column holdfast.dead_letters.outcome is 'How its last replay ended; null while that runs.';
comment on column holdfast.dead_letters.replaced_by is 'Job that was enqueued in its place, with another payload.';

create table holdfast.dead_letter_notes (
  id     bigint generated always as identity primary key,
  job_id uuid not null,
  at     timestamptz not null,
  author text,
  note   text not null,
  constraint dead_letter_note_is_bounded check (length(note) between 1 and 8192)
);
create index dead_letter_notes_job on holdfast.dead_letter_notes (job_id, id);
comment on table holdfast.dead_letter_notes is 'What people wrote on dead letters.';
comment on column holdfast.dead_letter_notes.id is 'Number of the note.';
comment on column holdfast.dead_letter_notes.job_id is 'The job.';
comment on column holdfast.dead_letter_notes.at is 'When it was written.';
comment on column holdfast.dead_letter_notes.author is 'Who wrote it.';
comment on column holdfast.dead_letter_notes.note is 'The note.';

create table holdfast.events (
  id         bigint generated always as identity primary key,
  at         timestamptz not null,
  cause      text not null,
  job_id     uuid,
  run_id     uuid,
  queue      text,
  from_state text,
  to_state   text,
  attempt    integer,
  worker_id  uuid,
  actor      text,
  reason     text,
  detail     jsonb,
  login      text not null default session_user || coalesce('/' || nullif(current_setting('role'), 'none'), '')
);
create index events_job on holdfast.events (job_id, id) where job_id is not null;
-- Those of audit_view: they are sealed by day, in the order of their ids.
create index events_sealed on holdfast.events (id)
  where job_id is null or actor is not null or to_state in ('rejected', 'cancelled', 'dead');
comment on table holdfast.events is 'The audit trail: one row per transition or manual action, inserted only.';
comment on column holdfast.events.id is 'Number of the row.';
comment on column holdfast.events.at is 'When it happened.';
comment on column holdfast.events.cause is 'The verb that did it.';
comment on column holdfast.events.job_id is 'The job, if it was one.';
comment on column holdfast.events.run_id is 'The run, if it was one.';
comment on column holdfast.events.queue is 'The queue.';
comment on column holdfast.events.from_state is 'State before.';
comment on column holdfast.events.to_state is 'State after.';
comment on column holdfast.events.attempt is 'Number of the try.';
comment on column holdfast.events.worker_id is 'Worker that did it.';
comment on column holdfast.events.actor is 'Person or program that asked for it, by the name that it gave.';
comment on column holdfast.events.reason is 'Why, in its words.';
comment on column holdfast.events.detail is 'Anything else.';
comment on column holdfast.events.login
  is 'Database login of the session, and after a slash the role that it had set, if any.';

create table holdfast.event_seals (
  day        date primary key,
  after_id   bigint not null,
  through_id bigint not null,
  events     bigint not null,
  digest     text not null,
  previous   text not null,
  seal       text not null,
  sealed_at  timestamptz not null,
  pruned_at  timestamptz,
  constraint event_seal_range_in_order check (through_id >= after_id)
);
create index event_seals_range on holdfast.event_seals (through_id, day);
comment on table holdfast.event_seals
  is 'One row per finished day: it digests the day''s events and contains the seal of the day before. Never deleted.';
comment on column holdfast.event_seals.day is 'The day, in UTC.';
comment on column holdfast.event_seals.after_id is 'Last event of the day before: this one''s follow it.';
comment on column holdfast.event_seals.through_id is 'Last event of the day.';
comment on column holdfast.event_seals.events is 'How many events it has.';
comment on column holdfast.event_seals.digest is 'SHA-256 over the events in the order of their ids.';
comment on column holdfast.event_seals.previous is 'Seal of the day before; 64 zeros for the first.';
comment on column holdfast.event_seals.seal is 'SHA-256 over all columns above.';
comment on column holdfast.event_seals.sealed_at is 'When it was sealed.';
comment on column holdfast.event_seals.pruned_at
  is 'When its events were deleted because of their age; null: they are kept.';

create table holdfast.chores (
  name         text primary key,
  succeeded_at timestamptz not null,
  counts       jsonb not null
) with (fillfactor = 50);
comment on table holdfast.chores is 'When each chore last succeeded, for doctor, and where it goes on.';
comment on column holdfast.chores.name is 'Name of the chore.';
comment on column holdfast.chores.succeeded_at is 'When it last ended well.';
comment on column holdfast.chores.counts is 'What it did then, or where it goes on.';

create table holdfast.locks (
  name text primary key
);
comment on table holdfast.locks is 'Rows to lock, for what one does at a time. Only functions of the owner lock them.';
comment on column holdfast.locks.name is 'What is locked: a chore, a verb, or endpoint and its name.';

-- Endpoints add theirs when they are first named.
insert into holdfast.locks (name)
values ('prune'), ('prune_endpoints'), ('seal_events'), ('mark_lanes'), ('summarise_ends'), ('request_continuation');
