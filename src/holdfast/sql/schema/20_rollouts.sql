-- Roll-outs: which part of the keys takes a new way.

create table holdfast.rollouts (
  name       text primary key,
  percent    numeric(5, 2) not null,
  changed_at timestamptz not null,
  constraint rollout_name_is_valid check (length(name) between 1 and 200),
  constraint rollout_percent_in_range check (percent between 0 and 100)
);
comment on table holdfast.rollouts
  is 'A gradual roll-out: in_rollout answers for each key whether it takes the new way. A name without a row is off.';
comment on column holdfast.rollouts.name is 'What producers ask for.';
comment on column holdfast.rollouts.percent is 'How many of 100 keys are in it; 0 is off, 100 is on.';
comment on column holdfast.rollouts.changed_at is 'When the percentage was last changed.';
