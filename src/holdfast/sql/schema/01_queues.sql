-- What work is called and how it is treated: queues, tasks and the lanes that a claim walks.

create table holdfast.queues (
  name          text primary key,
  paused_at     timestamptz,
  paused_reason text,
  paused_by     text,
  priority      smallint,
  max_failures  smallint,
  max_losses    smallint not null default 3,
  retry         jsonb,
  timeout       interval,
  max_wait      interval not null default '24 hours',
  rescue_delay  jsonb,
  cancel_grace  interval not null default '30 seconds',
  ageing        double precision,
  weight        double precision not null default 1,
  detail        text not null default 'basic',
  own_detail    text,
  full_since    timestamptz,
  logs          text not null default 'errors',
  stats_label   text,
  retention     interval not null default '30 days',
  payload_limit integer not null default 262144,
  endpoint      text,
  notify        boolean not null default true,
  is_limited    boolean not null default false,
  has_rules     boolean not null default false,
  created_at    timestamptz not null default clock_timestamp(),
  expires_at    timestamptz,
  constraint queue_name_is_short check (length(name) between 1 and 200),
  constraint queue_priority_in_range check (priority between 0 and 100),
  constraint queue_max_failures_positive check (max_failures >= 1),
  constraint queue_max_losses_positive check (max_losses >= 1),
  constraint queue_timeout_positive check (timeout > '0'),
  constraint queue_max_wait_positive check (max_wait > '0'),
  constraint queue_cancel_grace_not_negative check (cancel_grace >= '0'),
  constraint queue_ageing_positive check (ageing between 0.000001 and 1000000),
  constraint queue_weight_positive check (weight between 0.000001 and 1000000),
  constraint queue_detail_known check (detail in ('off', 'basic', 'full')),
  constraint queue_own_detail_holds check (own_detail = detail),
  constraint queue_logs_known check (logs in ('off', 'errors', 'all')),
  constraint queue_stats_label_is_short check (length(stats_label) between 1 and 200),
  constraint queue_retention_positive check (retention > '0'),
  constraint queue_payload_limit_positive check (payload_limit > 0)
);
create index queues_expiry on holdfast.queues (expires_at) where expires_at is not null;
comment on table holdfast.queues is 'A queue: work under one name, with its policy.';
comment on column holdfast.queues.name is 'What producers and workers call it.';
comment on column holdfast.queues.paused_at is 'Since when no job of it is claimed; null while it runs.';
comment on column holdfast.queues.paused_reason is 'Why it was paused, in the words of the actor.';
comment on column holdfast.queues.paused_by is 'Person or program that asked for the pause.';
comment on column holdfast.queues.priority is 'Priority of jobs that name none, 0 to 100; null means 50.';
comment on column holdfast.queues.max_failures
  is 'Failures that make a job dead, unless its task or the job itself says otherwise.';
comment on column holdfast.queues.max_losses is 'Vanished workers that make a job dead.';
comment on column holdfast.queues.retry is 'Retry policy, unless the task or the job itself has one.';
comment on column holdfast.queues.timeout is 'How long one attempt may run; null means as long as it likes.';
comment on column holdfast.queues.max_wait is 'How long a job may be deferred without a break before it is dead.';
comment on column holdfast.queues.rescue_delay
  is 'Retry policy for losses: how long a job rests after each; null means not at all.';
comment on column holdfast.queues.cancel_grace is 'How long a running job has to obey a cancel before it is fenced.';
comment on column holdfast.queues.ageing is 'Priority points a ready job gains per minute of waiting; null means none.';
comment on column holdfast.queues.weight is 'How often workers look here first, relative to their other queues.';
comment on column holdfast.queues.detail is 'How much of the audit trail is kept: off, basic or full.';
comment on column holdfast.queues.own_detail is 'The detail that it sets itself; null: it follows the flag detail.';
comment on column holdfast.queues.full_since is 'Since when its detail is full; null while it is not.';
comment on column holdfast.queues.logs
  is 'Which logs of handlers are kept: off, errors (of attempts that do not succeed) or all.';
comment on column holdfast.queues.stats_label
  is 'Label by whose values its ends are counted; null means none.';
comment on column holdfast.queues.retention is 'How long ended jobs are kept.';
comment on column holdfast.queues.payload_limit is 'Largest payload in bytes.';
comment on column holdfast.queues.endpoint is 'Endpoint that its jobs call unless they name another.';
comment on column holdfast.queues.notify is 'Whether an enqueue wakes idle workers by NOTIFY; they poll in any case.';
comment on column holdfast.queues.is_limited is 'Whether it has a row in limits, which its claims then ask.';
comment on column holdfast.queues.has_rules
  is 'Whether it has an enabled rule, which enqueues then evaluate.';
comment on column holdfast.queues.created_at is 'When it was first named.';
comment on column holdfast.queues.expires_at
  is 'When to remove it unless something uses it by then; null: it was declared, and stays.';

create table holdfast.full_pause (
  only_row  boolean primary key default true,
  paused_at timestamptz not null,
  reason    text,
  actor     text,
  constraint full_pause_is_one_row check (only_row)
);
comment on table holdfast.full_pause
  is 'The pause of all queues, those to come included; empty while there is none. Queues have pauses of their own'
    ' beside it.';
comment on column holdfast.full_pause.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.full_pause.paused_at is 'Since when no job of any queue is claimed.';
comment on column holdfast.full_pause.reason is 'Why, in the words of the actor.';
comment on column holdfast.full_pause.actor is 'Person or program that asked for it.';

create table holdfast.tasks (
  name         text primary key,
  queue        text,
  priority     smallint,
  max_failures smallint,
  retry        jsonb,
  timeout      interval,
  endpoint     text,
  has_lanes    boolean not null default false,
  has_rules    boolean not null default false,
  declared_at  timestamptz not null default clock_timestamp(),
  constraint task_priority_in_range check (priority between 0 and 100),
  constraint task_max_failures_positive check (max_failures >= 1),
  constraint task_timeout_positive check (timeout > '0')
);
comment on table holdfast.tasks is 'A task: the name that picks the handler, with defaults that win over its queue''s.';
comment on column holdfast.tasks.name is 'What jobs call it.';
comment on column holdfast.tasks.queue is 'Queue of jobs that name none; null means default.';
comment on column holdfast.tasks.priority is 'Priority of jobs that name none.';
comment on column holdfast.tasks.max_failures is 'Failures that make a job dead, unless the job says otherwise.';
comment on column holdfast.tasks.retry is 'Retry policy, unless the job has one.';
comment on column holdfast.tasks.timeout is 'How long one attempt may run, unless the job says otherwise.';
comment on column holdfast.tasks.endpoint is 'Endpoint that its jobs call unless they name another.';
comment on column holdfast.tasks.has_lanes
  is 'Whether its jobs stand in lanes of their own, because it has or had a limit.';
comment on column holdfast.tasks.has_rules is 'Whether it has an enabled rule, which enqueues then evaluate.';
comment on column holdfast.tasks.declared_at is 'When an application last declared it.';

create table holdfast.lanes (
  lane     integer generated always as identity primary key,
  queue    text not null,
  endpoint text not null default '',
  "group"  text not null default '',
  task     text not null default '',
  is_capped boolean not null default false,
  is_suspect boolean not null default false,
  expires_at timestamptz not null default clock_timestamp() + interval '30 days',
  constraint lane_is_unique unique (queue, endpoint, "group", task, is_capped, is_suspect)
);
create index lanes_suspect on holdfast.lanes (queue) where is_suspect;
create index lanes_queue on holdfast.lanes (queue, lane);
create index lanes_endpoint on holdfast.lanes (endpoint) where endpoint <> '';
create index lanes_expiry on holdfast.lanes (expires_at);
comment on table holdfast.lanes
  is 'A lane: jobs of one queue, endpoint and group, in one order. It leads the claim index. Limited tasks, runs with'
    ' a budget and suspects have lanes of their own.';
comment on column holdfast.lanes.lane is 'Number that jobs carry.';
comment on column holdfast.lanes.queue is 'Queue of its jobs.';
comment on column holdfast.lanes.endpoint is 'Endpoint of its jobs; empty means none.';
comment on column holdfast.lanes."group" is 'Only workers of this group claim here; empty means any.';
comment on column holdfast.lanes.task is 'Task of its jobs, if that one has a limit; empty means any other.';
comment on column holdfast.lanes.is_capped is 'Whether the runs of its jobs have a budget.';
comment on column holdfast.lanes.is_suspect is 'Whether its jobs are suspects, each of which a worker runs alone.';
comment on column holdfast.lanes.expires_at
  is 'When to remove it unless it holds jobs then; ends of its jobs put that off, at most once a day.';

create table holdfast.past_lanes (
  lane       integer primary key,
  queue      text not null,
  endpoint   text not null,
  "group"    text not null,
  task       text not null,
  is_capped  boolean not null,
  removed_at timestamptz not null
);
comment on table holdfast.past_lanes
  is 'Lanes that were removed because nothing used them. Ended jobs still carry their numbers.';
comment on column holdfast.past_lanes.lane is 'Number that ended jobs carry.';
comment on column holdfast.past_lanes.queue is 'Queue of its jobs.';
comment on column holdfast.past_lanes.endpoint is 'Endpoint of its jobs; empty means none.';
comment on column holdfast.past_lanes."group" is 'Group of its jobs; empty means any.';
comment on column holdfast.past_lanes.task is 'Task of its jobs, if that one had a limit; empty means any other.';
comment on column holdfast.past_lanes.is_capped is 'Whether the runs of its jobs had a budget.';
comment on column holdfast.past_lanes.removed_at is 'When it was removed.';

create table holdfast.lane_marks (
  lane      integer not null,
  urgency   smallint not null,
  rank_at   timestamptz not null,
  looked_at timestamptz not null,
  walked    bigint not null,
  constraint lane_marks_pkey primary key (lane, urgency)
) with (fillfactor = 50);
comment on table holdfast.lane_marks
  is 'Where the ready jobs of a lane begin, while a held snapshot keeps dead entries before them. A hint: claims begin'
    ' there, and a look from the start finds who came late.';
comment on column holdfast.lane_marks.lane is 'The lane.';
comment on column holdfast.lane_marks.urgency is 'Urgency of the jobs.';
comment on column holdfast.lane_marks.rank_at is 'Claims pass over ranks before this one.';
comment on column holdfast.lane_marks.looked_at is 'When the lane was last read from its start.';
comment on column holdfast.lane_marks.walked is 'Index entries that were read then.';
