-- Pairs of queues between which rebalancing may move jobs.

create table holdfast.rebalance_pairs (
  from_queue  text not null,
  to_queue    text not null,
  ratio       double precision not null default 3,
  least_depth integer not null default 10,
  max_jobs    integer not null default 1000,
  condition   jsonpath,
  moved_at    timestamptz,
  constraint rebalance_pairs_pkey primary key (from_queue, to_queue),
  constraint rebalance_needs_two_queues check (from_queue <> to_queue),
  constraint rebalance_ratio_above_one check (ratio > 1 and ratio <= 1000000),
  constraint rebalance_least_depth_positive check (least_depth >= 1),
  constraint rebalance_max_jobs_in_range check (max_jobs between 1 and 10000)
);
comment on table holdfast.rebalance_pairs
  is 'A pair of queues: rebalancing moves ready jobs from the first to the second while the first is much deeper.';
comment on column holdfast.rebalance_pairs.from_queue is 'Queue that jobs leave.';
comment on column holdfast.rebalance_pairs.to_queue is 'Queue that they enter.';
comment on column holdfast.rebalance_pairs.ratio
  is 'Jobs move if the ready jobs of the first, plus 1, exceed those of the second, plus 1, by more than this factor.';
comment on column holdfast.rebalance_pairs.least_depth
  is 'Jobs move only if the first has at least this many ready jobs.';
comment on column holdfast.rebalance_pairs.max_jobs is 'Most jobs that one round moves.';
comment on column holdfast.rebalance_pairs.condition
  is 'Predicate over the payload that a job must satisfy to be moved; null: any job may.';
comment on column holdfast.rebalance_pairs.moved_at
  is 'When a round last moved jobs of the pair: samples from before are out of date.';

insert into holdfast.locks (name) values ('rebalance');
