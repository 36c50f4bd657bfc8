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
  -- The payload as the root and the other facts as variables: no condition can have variables of its own.
  payload_path jsonpath not null generated always as (
    replace(
      regexp_replace(condition::jsonpath::text,
        '[$][.](?="(labels|task|queue|origin|size|now|hour|weekday)")', '$', 'g'),
      '$."payload"', '$')::jsonpath
  ) stored,
  -- exists ($) holds whatever the root is. The ids of keyvalue() depend on the root.
  reads      text not null generated always as (
    case
      when replace(condition::jsonpath::text, 'exists ($)', '')
        ~ '[$](?![.]"(payload|labels|task|queue|origin|size|now|hour|weekday)")|keyvalue' then 'all'
      when condition::jsonpath::text ~ '[$][.]"size"' then 'size'
      when condition::jsonpath::text ~ '[$][.]"(?!payload")' then 'shared'
      else 'payload'
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
comment on column holdfast.rules.payload_path
  is 'The same over the payload alone, with the other facts as variables: $.payload.n == $.size is $.n == $size.';
comment on column holdfast.rules.reads
  is 'Facts that it looks at: payload; shared (those that most calls have in common); size; or all, as one object.';
comment on column holdfast.rules.points is 'Points added to the score of the jobs that match.';
comment on column holdfast.rules.queue is 'Queue for the jobs that match.';
comment on column holdfast.rules.is_enabled is 'Whether enqueues evaluate it.';
