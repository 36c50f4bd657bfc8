-- What an attempt reserves stands apart from what its enqueue expects: a later stage or attempt does not inherit it.
alter table holdfast.jobs add column reserved_units double precision;
comment on column holdfast.jobs.estimate is 'Units that one attempt is expected to use, if its enqueue said so.';
comment on column holdfast.jobs.reserved_units is 'Units that this attempt reserved: its own estimate, else that of the endpoint that its permit is on.';
