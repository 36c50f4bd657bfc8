-- Flags: switches that people change while workers run.

create table holdfast.flags (
  name   text not null,
  scope  text not null default '',
  value  text,
  set_at timestamptz,
  actor  text,
  reason text,
  constraint flags_pkey primary key (name, scope),
  constraint flag_value_known check (
    case name
      when 'rescue' then value in ('on', 'off')
      when 'detail' then value in ('off', 'basic', 'full')
      when 'slots' then value ~ '^([1-9][0-9]{0,3}|10000)$'
      when 'claim_size' then value ~ '^(auto|[1-9][0-9]{0,3}|10000)$'
      else false
    end),
  constraint flag_of_one_has_value check (scope = '' or value is not null),
  constraint flag_scope_is_short check (length(scope) <= 200),
  constraint flag_detail_of_one_is_a_setting check (scope = '' or name <> 'detail')
);
comment on table holdfast.flags
  is 'A flag: a switch that holds for all, or for one queue or worker group. The detail of one queue is a setting of'
    ' the queue.';
comment on column holdfast.flags.name is 'rescue, detail, slots or claim_size.';
comment on column holdfast.flags.scope
  is 'Queue (rescue) or worker group (slots, claim_size) that it holds for; empty means all.';
comment on column holdfast.flags.value is 'What it is set to; null means the default, and stands only in rows for all.';
comment on column holdfast.flags.set_at is 'When it was set; null while it never was.';
comment on column holdfast.flags.actor is 'Person or program that set it.';
comment on column holdfast.flags.reason is 'Why, in the words of the actor.';

-- These rows always exist: each change of a flag locks its row.
insert into holdfast.flags (name) values ('rescue'), ('detail'), ('slots'), ('claim_size');
