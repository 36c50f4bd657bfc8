-- What jobs called on the way: models and tools.

create table holdfast.calls (
  job_id         uuid not null,
  generation     integer not null,
  visit          integer not null,
  seq            integer not null,
  attempt        integer not null,
  kind           text not null,
  name           text not null,
  units          double precision,
  seconds        double precision not null,
  finish_reason  text,
  argument_bytes integer,
  error          text,
  at             timestamptz not null,
  queue          text not null,
  task           text not null,
  pipeline       text,
  stage          text,
  cost           double precision,
  constraint calls_pkey primary key (job_id, generation, visit, seq),
  constraint call_kind_known check (kind in ('model', 'tool')),
  constraint call_not_negative check (units >= 0 and seconds >= 0 and argument_bytes >= 0),
  constraint call_is_bounded check (length(name) <= 200 and length(finish_reason) <= 200 and length(error) <= 500)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 50000
);
-- Statistics count calls by minute.
create index calls_at on holdfast.calls (at);
comment on table holdfast.calls is 'One row for each call of a model or a tool that a job made, in order.';
comment on column holdfast.calls.job_id is 'The job.';
comment on column holdfast.calls.generation is 'Life of the job in which it was made.';
comment on column holdfast.calls.visit is 'Stage visit in which it was made.';
comment on column holdfast.calls.seq is 'Number of the call within the visit, from 1.';
comment on column holdfast.calls.attempt is 'Attempt that made it.';
comment on column holdfast.calls.kind is 'model or tool.';
comment on column holdfast.calls.name is 'Name of the model or of the tool.';
comment on column holdfast.calls.units is 'Units that it used, such as tokens.';
comment on column holdfast.calls.seconds is 'How long it took.';
comment on column holdfast.calls.finish_reason
  is 'Why it ended, in the model''s word; of a tool: ok, error, or what it decided.';
comment on column holdfast.calls.argument_bytes is 'Size of a tool''s arguments.';
comment on column holdfast.calls.error is 'What went wrong, sanitised, at most 500 characters.';
comment on column holdfast.calls.at is 'When it ended.';
comment on column holdfast.calls.queue is 'Queue that the job stood in.';
comment on column holdfast.calls.task is 'Task of the job.';
comment on column holdfast.calls.pipeline is 'Pipeline of the job.';
comment on column holdfast.calls.stage is 'Stage of the job.';
comment on column holdfast.calls.cost is 'Its units at the price of the endpoint; null: that has no price.';
