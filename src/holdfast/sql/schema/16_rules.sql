-- Rules: which priority and queue new jobs of a task or queue get, by what is in them.

create table holdfast.rule_sets (
  kind      text not null,
  owner     text not null,
  base      smallint,
  overrides boolean not null default false,
  constraint rule_sets_pkey primary key (kind, owner),
  constraint rule_set_kind_known check (kind in ('task', 'queue')),
  constraint rule_set_base_in_range check (base between 0 and 100)
);
comment on table holdfast.rule_sets is 'The rules of one task or queue together: where their score starts.';
comment on column holdfast.rule_sets.kind is 'Whether a task or a queue has them.';
comment on column holdfast.rule_sets.owner is 'Name of the task or queue.';
comment on column holdfast.rule_sets.base
  is 'Priority to which the points are added; null: the one that the job would have without rules.';
comment on column holdfast.rule_sets.overrides
  is 'Whether the score replaces a priority that the caller gave.';

create table holdfast.rules (
  kind       text not null,
  owner      text not null,
  name       text not null,
  position   integer not null,
  condition  text not null,
  path       jsonpath not null generated always as (condition::jsonpath) stored,
  reads      text not null generated always as (
    case
      when condition::jsonpath::text !~ '[$](?![.]"payload")' then 'payload'
      when condition::jsonpath::text !~ '[$](?![.]"(payload|labels|size)")' then 'some'
      else 'all'
    end
  ) stored,
  points     smallint,
  queue      text,
  is_enabled boolean not null default true,
  constraint rules_pkey primary key (kind, owner, name),
  constraint rule_name_is_short check (length(name) between 1 and 200),
  constraint rule_condition_is_short check (octet_length(condition) <= 1024),
  constraint rule_points_in_range check (points between -100 and 100),
  constraint rule_queue_is_short check (length(queue) between 1 and 200),
  constraint rule_has_an_effect check (points is not null or queue is not null)
);
comment on table holdfast.rules
  is 'A condition on a new job, and what follows where it holds: points, a queue, or both.';
comment on column holdfast.rules.kind is 'Whether a task or a queue has it.';
comment on column holdfast.rules.owner is 'Name of the task or queue.';
comment on column holdfast.rules.name is 'Name of the rule, unique within its set.';
comment on column holdfast.rules.position is 'Order within its set: the first rule with a queue that matches decides.';
comment on column holdfast.rules.condition is 'A jsonpath predicate over the facts of the job, as it was written.';
comment on column holdfast.rules.path is 'The same, parsed.';
comment on column holdfast.rules.reads
  is 'Facts that it looks at: payload; some (payload, labels, size); or all. An enqueue makes only those of its set.';
comment on column holdfast.rules.points is 'Points added to the score of the jobs that match.';
comment on column holdfast.rules.queue is 'Queue for the jobs that match.';
comment on column holdfast.rules.is_enabled is 'Whether enqueues evaluate it.';
