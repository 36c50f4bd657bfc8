-- All queues can be paused at once, which is kept apart from the pauses of single ones.
create table holdfast.full_pause (
  only_row  boolean primary key default true,
  paused_at timestamptz not null,
  reason    text,
  actor     text,
  constraint full_pause_is_one_row check (only_row)
);
comment on table holdfast.full_pause is 'The pause of all queues, those to come included; empty while there is none. Queues have pauses of their own beside it.';
comment on column holdfast.full_pause.only_row is 'Always true: keeps the table to one row.';
comment on column holdfast.full_pause.paused_at is 'Since when no job of any queue is claimed.';
comment on column holdfast.full_pause.reason is 'Why, in the words of the actor.';
comment on column holdfast.full_pause.actor is 'Person or program that asked for it.';
