-- What the invariants judge by: how long a lost attempt's lease was good, where an ended job stood in its line, since when a trail is whole.
alter table holdfast.attempts add column lease_until timestamptz;
comment on column holdfast.attempts.lease_until is 'Until when its worker''s lease was good, if the attempt was lost.';

alter table holdfast.history add column order_seq bigint;
comment on column holdfast.history.order_seq is 'Its place among the jobs of its order key.';

alter table holdfast.queues add column full_since timestamptz;
comment on column holdfast.queues.full_since is 'Since when its detail is full; null while it is not.';
update holdfast.queues set full_since = clock_timestamp() where detail = 'full';

comment on column holdfast.order_keys.last_seq is 'Place of the last job in the line. A new line begins at the microsecond: places rise from line to line.';
comment on column holdfast.limits.changed_at is 'When max_concurrent was last set.';
