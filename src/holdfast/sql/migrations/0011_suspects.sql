-- Suspects: jobs whose worker vanished stand in lanes of their own, and a worker runs each of them alone.
alter table holdfast.lanes add column is_suspect boolean not null default false;
alter table holdfast.lanes drop constraint lane_is_unique;
alter table holdfast.lanes add constraint lane_is_unique unique (queue, endpoint, "group", task, is_capped, is_suspect);
create index lanes_suspect on holdfast.lanes (queue) where is_suspect;
comment on table holdfast.lanes is 'A lane: jobs of one queue, endpoint and group, in one order. It leads the claim index. Limited tasks, runs with a budget and suspects have lanes of their own.';
comment on column holdfast.lanes.is_suspect is 'Whether its jobs are suspects, each of which a worker runs alone.';

alter table holdfast.jobs add column releases integer not null default 0;
comment on column holdfast.jobs.releases is 'Releases in a row that neither a checkpoint nor a yield came before; five make it a suspect.';
comment on column holdfast.jobs.losses is 'Attempts whose worker vanished, in this generation and stage; of those lost together with other jobs only the first counts.';

alter table holdfast.workers add column lost_jobs integer;
alter table holdfast.workers add column isolation text not null default 'self';
alter table holdfast.workers add column alone_with uuid;
alter table holdfast.workers add constraint worker_isolation_known check (isolation in ('self', 'children', 'only'));
comment on column holdfast.workers.lost_jobs is 'How many jobs it held when they were taken from it: a single one is the only suspect.';
comment on column holdfast.workers.isolation is 'How it treats suspects: runs each alone itself (self), starts workers of their own for them (children), or is such a worker (only).';
comment on column holdfast.workers.alone_with is 'The last suspect it claimed; while it holds that one it claims nothing else.';
