-- Runs: sets of jobs. Nothing on the hot path updates a run's row; it inserts deltas.

create table holdfast.runs (
  id          uuid primary key,
  name        text not null,
  created_at  timestamptz not null,
  sealed_at   timestamptz,
  ended_at    timestamptz,
  cancelled_at timestamptz,
  generation  integer not null default 1,
  total       bigint not null default 0,
  completed   bigint not null default 0,
  rejected    bigint not null default 0,
  cancelled   bigint not null default 0,
  dead        bigint not null default 0,
  units       double precision,
  cost        double precision,
  on_complete jsonb,
  labels      jsonb,
  parent_id   uuid,
  wait        text,
  on_failure  text,
  login_id    integer,
  origin      text,
  claimed_actor text,
  scope       text,
  constraint run_wait_known check (wait in ('all', 'first')),
  constraint run_on_failure_known check (on_failure in ('fail', 'ignore', 'wait')),
  constraint run_ends_after_sealing check (ended_at is null or sealed_at is not null),
  constraint run_name_is_short check (length(name) between 1 and 200),
  constraint run_origin_is_short check (length(origin) between 1 and 200 and origin <> 'automatic'),
  constraint run_claimed_actor_is_short check (length(claimed_actor) between 1 and 200)
) with (fillfactor = 50);
create index runs_open on holdfast.runs (id) where ended_at is null;
create index runs_ended on holdfast.runs (ended_at) where ended_at is not null;
create index runs_children on holdfast.runs (parent_id) where parent_id is not null;
comment on table holdfast.runs is 'A run: jobs submitted together, with one progress and one end.';
comment on column holdfast.runs.id is 'UUID version 7.';
comment on column holdfast.runs.name is 'Its name, for people.';
comment on column holdfast.runs.created_at is 'When it was started.';
comment on column holdfast.runs.sealed_at is 'When the last job was in; only a sealed run can end.';
comment on column holdfast.runs.ended_at is 'When its last job had ended.';
comment on column holdfast.runs.cancelled_at is 'When a cancel was asked for.';
comment on column holdfast.runs.generation is 'Life of the run: each replay of it starts the next.';
comment on column holdfast.runs.total is 'Jobs in it, as folded so far.';
comment on column holdfast.runs.completed is 'Jobs completed, as folded so far.';
comment on column holdfast.runs.rejected is 'Jobs rejected, as folded so far.';
comment on column holdfast.runs.cancelled is 'Jobs cancelled, as folded so far.';
comment on column holdfast.runs.dead is 'Jobs dead, as folded so far.';
comment on column holdfast.runs.units is 'Units that its jobs used in stages that they have left or ended in.';
comment on column holdfast.runs.cost is 'What these cost.';
comment on column holdfast.runs.on_complete
  is 'Job to enqueue once when the run has ended: task, payload, and options.';
comment on column holdfast.runs.labels is 'Marks for people and filters.';
comment on column holdfast.runs.parent_id is 'Job whose children these are; it waits for them.';
comment on column holdfast.runs.wait is 'What the parent waits for: all children, or the first that completes.';
comment on column holdfast.runs.on_failure
  is 'What a failed child means for the parent: fail, ignore, or wait until it is replayed.';
comment on column holdfast.runs.login_id is 'Database login that started it.';
comment on column holdfast.runs.origin is 'What caused it; null: automatic.';
comment on column holdfast.runs.claimed_actor is 'Name that its caller claimed to act for; not checked.';
comment on column holdfast.runs.scope is 'Scope of the access key that started it; null: none.';

create table holdfast.run_deltas (
  id        bigint generated always as identity primary key,
  run_id    uuid not null,
  total     integer not null default 0,
  completed integer not null default 0,
  rejected  integer not null default 0,
  cancelled integer not null default 0,
  dead      integer not null default 0,
  units     double precision,
  cost      double precision
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index run_deltas_run on holdfast.run_deltas (run_id);
comment on table holdfast.run_deltas is 'Changes to runs, one row per statement and run, folded by close_runs.';
comment on column holdfast.run_deltas.id is 'Number of the row.';
comment on column holdfast.run_deltas.run_id is 'The run.';
comment on column holdfast.run_deltas.total is 'Jobs added.';
comment on column holdfast.run_deltas.completed is 'Jobs completed.';
comment on column holdfast.run_deltas.rejected is 'Jobs rejected.';
comment on column holdfast.run_deltas.cancelled is 'Jobs cancelled.';
comment on column holdfast.run_deltas.dead is 'Jobs dead.';
comment on column holdfast.run_deltas.units is 'Units used in stages that its jobs left or ended in; null: none.';
comment on column holdfast.run_deltas.cost is 'What these cost; null: nothing with a price.';
