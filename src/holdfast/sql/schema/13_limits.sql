-- Limits of queues, tasks and runs, beside those of their endpoints. Only those with a limit have rows.

create table holdfast.limits (
  kind           text not null,
  name           text not null,
  max_concurrent integer,
  rate_starts    integer,
  rate_period    double precision,
  rate           text,
  starts         bigint not null default 0,
  is_settled     boolean not null default false,
  changed_at     timestamptz not null,
  settles_after  text[],
  constraint limits_pkey primary key (kind, name),
  constraint limit_kind_known check (kind in ('queue', 'task')),
  constraint limit_rate_is_whole check ((rate_starts is null) = (rate_period is null))
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
comment on table holdfast.limits
  is 'What a queue or a task may do at once and in a time, over all workers. A claim holds the row while it counts.';
comment on column holdfast.limits.kind is 'queue or task.';
comment on column holdfast.limits.name is 'Name of the queue or task.';
comment on column holdfast.limits.max_concurrent is 'Most jobs that run at once; null: any number.';
comment on column holdfast.limits.rate_starts is 'Most claims in any period; null: any number.';
comment on column holdfast.limits.rate_period is 'Seconds of the period.';
comment on column holdfast.limits.rate is 'Both as people write them: 100/minute.';
comment on column holdfast.limits.starts is 'Claims in all; the place in the ring of starts.';
comment on column holdfast.limits.is_settled
  is 'False until each job that ran or was enqueued before the limit was known is found by it; till then all running'
    ' jobs are counted.';
comment on column holdfast.limits.changed_at is 'When max_concurrent was last set.';
comment on column holdfast.limits.settles_after is 'Transactions that may not know of it: it settles after their end.';

create table holdfast.limit_starts (
  kind text not null,
  name text not null,
  slot integer not null,
  at   double precision not null,
  constraint limit_starts_pkey primary key (kind, name, slot)
) with (fillfactor = 50);
comment on table holdfast.limit_starts
  is 'A ring of the latest claims under a rate: the slot to be written next is the oldest.';
comment on column holdfast.limit_starts.kind is 'queue or task.';
comment on column holdfast.limit_starts.name is 'Name of the queue or task.';
comment on column holdfast.limit_starts.slot is 'Place in the ring.';
comment on column holdfast.limit_starts.at is 'When that job was claimed, in seconds since the epoch.';

create table holdfast.run_budgets (
  run_id         uuid primary key,
  max_money      double precision,
  max_units      double precision,
  spent          double precision not null default 0,
  used           double precision not null default 0,
  reserved       double precision not null default 0,
  reserved_units double precision not null default 0,
  counted_in     text,
  stops_at       timestamptz,
  reached_at     timestamptz
) with (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
comment on table holdfast.run_budgets
  is 'What a run may cost. Only runs with a budget have a row; a claim holds it while it counts.';
comment on column holdfast.run_budgets.run_id is 'The run.';
comment on column holdfast.run_budgets.max_money is 'Most money, settled and reserved; null: any amount.';
comment on column holdfast.run_budgets.max_units is 'Most units, settled and reserved; null: any number.';
comment on column holdfast.run_budgets.spent is 'Money settled, as folded so far.';
comment on column holdfast.run_budgets.used is 'Units settled, as folded so far.';
comment on column holdfast.run_budgets.reserved is 'Money that its running jobs are expected to cost, as last counted.';
comment on column holdfast.run_budgets.reserved_units
  is 'Units that its running jobs are expected to use, as last counted.';
comment on column holdfast.run_budgets.counted_in
  is 'Transaction and statement that counted them; within it what it starts is added.';
comment on column holdfast.run_budgets.stops_at is 'After this moment no job of it starts; null: any time.';
comment on column holdfast.run_budgets.reached_at is 'When it was used up; null while it is not.';

create table holdfast.run_costs (
  id     bigint generated always as identity primary key,
  run_id uuid not null,
  money  double precision not null,
  units  double precision not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index run_costs_run on holdfast.run_costs (run_id);
comment on table holdfast.run_costs
  is 'What attempts of runs with a budget have cost, until a claim folds it: an end then waits for no other.';
comment on column holdfast.run_costs.id is 'Number of the row.';
comment on column holdfast.run_costs.run_id is 'The run.';
comment on column holdfast.run_costs.money is 'Money spent.';
comment on column holdfast.run_costs.units is 'Units used.';
