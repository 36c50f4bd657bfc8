-- What one does at a time locks a row that only the owner can lock; an advisory lock could be taken by any login.
create table holdfast.locks (
  name text primary key
);
comment on table holdfast.locks is 'Rows to lock, for what one does at a time. Only functions of the owner lock them.';
comment on column holdfast.locks.name is 'What is locked: a chore, a verb, or endpoint and its name.';

insert into holdfast.locks (name)
values ('prune'), ('prune_endpoints'), ('mark_lanes'), ('summarise_ends'), ('ask_continuation');
insert into holdfast.locks (name) select 'endpoint ' || e.name from holdfast.endpoints as e;
