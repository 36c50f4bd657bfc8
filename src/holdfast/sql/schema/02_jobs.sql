-- Jobs that have not ended. Ends move to history, so this table stays small and hot.
-- Columns that a claim changes stand together: the rest of the row is then left out of the update's WAL.

create table holdfast.jobs (
  id              uuid not null,
  lane            integer not null,
  priority        smallint not null,
  urgency         smallint not null,
  state           text not null,
  rank_at         timestamptz,
  due_at          timestamptz,
  attempt         integer not null default 0,
  failures        integer not null default 0,
  losses          integer not null default 0,
  deferrals       integer not null default 0,
  worker_id       uuid,
  token           uuid,
  started_at      timestamptz,
  stop_at         timestamptz,
  cancel_asked_at timestamptz,
  deferred_since  timestamptz,
  waits_for       text,
  generation      integer not null default 1,
  visit           integer not null default 1,
  releases        integer not null default 0,
  units           double precision,
  estimate        double precision,
  reserved_units  double precision,
  in_flight_at_start integer,
  is_probe        boolean,
  permit_lane     integer,
  is_limited      boolean,
  reserved        double precision,
  lead            interval,
  login_id        integer,
  queue           text not null,
  task            text not null,
  pipeline        text,
  stage           text,
  pipeline_version integer,
  run_id          uuid,
  parent_id       uuid,
  order_key       text,
  order_seq       bigint,
  unique_scope    text,
  unique_key      text,
  timeout         interval,
  deadline        timestamptz,
  max_failures    smallint,
  retry           jsonb,
  labels          jsonb,
  origin          text,
  claimed_actor   text,
  cost            double precision,
  units_before    double precision,
  cost_before     double precision,
  attempts_before integer,
  trace           jsonb,
  rules           jsonb,
  payload         json,
  constraint jobs_pkey primary key (id),
  constraint job_state_is_live check (state in ('waiting', 'scheduled', 'ready', 'running')),
  constraint job_runs_with_worker_and_token check (
    (state = 'running') = (token is not null)
    and (token is null) = (worker_id is null)
    and (token is null) = (started_at is null)
  ),
  constraint job_ready_has_rank check (state not in ('ready', 'running') or rank_at is not null),
  constraint job_scheduled_has_due check (state <> 'scheduled' or due_at is not null),
  constraint job_waits_for_something check ((state = 'waiting') = (waits_for is not null)),
  constraint job_priority_in_range check (priority between 0 and 100),
  constraint job_counters_not_negative check (attempt >= 0 and failures >= 0 and losses >= 0 and deferrals >= 0),
  constraint job_order_has_place check ((order_key is null) = (order_seq is null)),
  constraint job_max_failures_positive check (max_failures >= 1),
  constraint job_origin_is_short check (length(origin) between 1 and 200 and origin <> 'automatic'),
  constraint job_claimed_actor_is_short check (length(claimed_actor) between 1 and 200)
) with (
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 100000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

create index jobs_claim on holdfast.jobs (lane, urgency desc, rank_at, id) where state = 'ready';
-- Partial: only deferred jobs enter it, so jobs that run at once cost nothing.
-- The id gives its entries an order, in which sample_depths continues a long count.
create index jobs_parked on holdfast.jobs (lane, state, id) where state in ('waiting', 'scheduled');
create index jobs_due on holdfast.jobs (due_at) where state = 'scheduled';
create index jobs_wait_due on holdfast.jobs (due_at)
  where state = 'waiting' and (waits_for = 'children' or waits_for like 'signal:%');
create index jobs_running on holdfast.jobs (worker_id) where state = 'running';
create index jobs_limited_queue on holdfast.jobs (queue) where state = 'running' and is_limited;
create index jobs_limited_task on holdfast.jobs (task) where state = 'running' and is_limited;
create index jobs_capped on holdfast.jobs (run_id) where state = 'running' and reserved is not null;
create index jobs_deadline on holdfast.jobs (deadline) where deadline is not null;
create index jobs_order on holdfast.jobs (order_key, order_seq) where order_key is not null;
create index jobs_run on holdfast.jobs (run_id, id) where run_id is not null;
create index jobs_unique_key on holdfast.jobs (unique_key, id) where unique_key is not null;
-- Bulk actions: few among all other jobs.
create index jobs_internal on holdfast.jobs (id) where queue = 'holdfast';

comment on table holdfast.jobs is 'A job that has not ended: a stored unit of work.';
comment on column holdfast.jobs.id is 'UUID version 7: it carries the time of creation.';
comment on column holdfast.jobs.lane is 'Where it queues: queue, endpoint and group in one number.';
comment on column holdfast.jobs.priority is '0 to 100, higher first.';
comment on column holdfast.jobs.urgency
  is 'Priority as the claim index sorts it; 0 for all jobs of a queue with ageing.';
comment on column holdfast.jobs.state is 'waiting, scheduled, ready or running.';
comment on column holdfast.jobs.rank_at is 'When it became ready, less its lead: the order within an urgency.';
comment on column holdfast.jobs.due_at is 'When a scheduled job becomes ready.';
comment on column holdfast.jobs.attempt is 'Number of the latest try; it only rises.';
comment on column holdfast.jobs.failures is 'Attempts that went wrong, in this generation and stage.';
comment on column holdfast.jobs.losses
  is 'Attempts whose worker vanished, in this generation and stage; of those lost together with other jobs only the'
    ' first counts.';
comment on column holdfast.jobs.deferrals
  is 'Attempts put off at no cost: rate limits, snoozes, releases, outages of ours.';
comment on column holdfast.jobs.worker_id is 'Worker that runs it.';
comment on column holdfast.jobs.token is 'Mark of the claim that runs it; every write for the job must carry it.';
comment on column holdfast.jobs.started_at is 'When this attempt began.';
comment on column holdfast.jobs.stop_at is 'When this attempt must have ended.';
comment on column holdfast.jobs.cancel_asked_at is 'When a cancel of the running job was asked for.';
comment on column holdfast.jobs.deferred_since is 'Since when it has been deferred without a break.';
comment on column holdfast.jobs.waits_for
  is 'What a waiting job waits for: order, children, budget, or signal: and a name.';
comment on column holdfast.jobs.generation is 'Life of the job: each replay starts the next.';
comment on column holdfast.jobs.visit is 'Count of stage visits; a loop back to a stage is a new visit.';
comment on column holdfast.jobs.releases
  is 'Releases in a row that neither a checkpoint nor a yield came before; five make it a suspect.';
comment on column holdfast.jobs.units is 'What its attempts have used up so far.';
comment on column holdfast.jobs.estimate is 'Units that one attempt is expected to use, if its enqueue said so.';
comment on column holdfast.jobs.reserved_units
  is 'Units that this attempt reserved: its own estimate, else that of the endpoint that its permit is on.';
comment on column holdfast.jobs.in_flight_at_start
  is 'Calls of its endpoint when this attempt began, itself included: it holds a permit. Null: it holds none.';
comment on column holdfast.jobs.is_probe is 'This attempt probes an endpoint whose circuit was open.';
comment on column holdfast.jobs.permit_lane is 'Lane of the endpoint that its permit is on, if it runs on a fallback.';
comment on column holdfast.jobs.is_limited is 'Whether this attempt counts against the limit of its queue or task.';
comment on column holdfast.jobs.reserved
  is 'Money that this attempt holds of its run''s budget; null: the run has none.';
comment on column holdfast.jobs.lead is 'Head start that its priority is worth in a queue with ageing.';
comment on column holdfast.jobs.login_id is 'Database login that enqueued it.';
comment on column holdfast.jobs.queue is 'Queue it stands in.';
comment on column holdfast.jobs.task is 'Name that picks the handler.';
comment on column holdfast.jobs.pipeline is 'Pipeline it goes through.';
comment on column holdfast.jobs.stage is 'Stage of the pipeline it is at.';
comment on column holdfast.jobs.pipeline_version is 'Version of the pipeline it is on.';
comment on column holdfast.jobs.run_id is 'Run it belongs to.';
comment on column holdfast.jobs.parent_id is 'Job whose handler enqueued it.';
comment on column holdfast.jobs.order_key is 'Jobs of one order key run one at a time, in commit order.';
comment on column holdfast.jobs.order_seq is 'Its place among the jobs of its order key.';
comment on column holdfast.jobs.unique_scope is 'Scope of its unique key.';
comment on column holdfast.jobs.unique_key is 'Key that makes enqueues of the same work one job.';
comment on column holdfast.jobs.timeout is 'How long one attempt may run.';
comment on column holdfast.jobs.deadline is 'After this moment the job is no longer worth doing.';
comment on column holdfast.jobs.max_failures is 'Failures that make it dead; null: its task or queue decides.';
comment on column holdfast.jobs.retry is 'Its own retry policy; null: its task or queue decides.';
comment on column holdfast.jobs.labels is 'Marks for people and filters.';
comment on column holdfast.jobs.origin
  is 'What caused it: manual, scheduled, trigger, import, or the caller''s own word; null: automatic.';
comment on column holdfast.jobs.claimed_actor is 'Name that its caller claimed to act for; not checked.';
comment on column holdfast.jobs.cost
  is 'What its attempts have cost so far: their units at the prices of their endpoints; null: nothing with a price.';
comment on column holdfast.jobs.units_before is 'Units when its present stage visit began, or its replay; null: none.';
comment on column holdfast.jobs.cost_before is 'Cost when its present stage visit began, or its replay; null: none.';
comment on column holdfast.jobs.attempts_before
  is 'Number of its latest try when its present stage visit began, or its replay; null: 0.';
comment on column holdfast.jobs.trace
  is 'W3C trace context: traceparent and tracestate of its producer, attempt for the span of the latest ended attempt;'
    ' null: it is in no trace.';
comment on column holdfast.jobs.rules
  is 'Rules that matched when it was enqueued, with their set, and the priority and queue that they gave it; null: none'
    ' matched.';
comment on column holdfast.jobs.payload is 'Its input, never changed; null if it lies in payloads because it is large.';

create table holdfast.payloads (
  job_id  uuid primary key,
  payload json not null
);
comment on table holdfast.payloads
  is 'Payloads above 2 KB, written once: moving them with their jobs would double their WAL.';
comment on column holdfast.payloads.job_id is 'Job it belongs to.';
comment on column holdfast.payloads.payload is 'The payload.';

create table holdfast.logins (
  id    integer generated always as identity primary key,
  login text collate "C" not null,
  role  text collate "C" not null
);
-- Not unique: a unique index would make the first enqueues of a login wait for each other's transactions. Logins that
-- were new to several transactions at once have several rows.
create index logins_login on holdfast.logins (login, role, id);
comment on table holdfast.logins
  is 'A database login that stored jobs or runs. They carry its number; the name stays after the login was dropped.';
comment on column holdfast.logins.id is 'Number that jobs and runs carry.';
comment on column holdfast.logins.login is 'The login: session_user.';
comment on column holdfast.logins.role is 'Role that the session had set; none if it had set none.';
