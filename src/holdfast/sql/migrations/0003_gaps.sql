-- Lanes that a worker leaves alone for a while, and indexes to find old records by.

create table holdfast.avoided_lanes (
  worker_id uuid not null,
  lane      integer not null,
  until     timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index avoided_lanes_worker on holdfast.avoided_lanes (worker_id, lane);
comment on table holdfast.avoided_lanes is 'Lanes that a worker leaves alone for a while, because it got a task there that it does not know. Rows are only added: two ends of one worker never wait for each other.';
comment on column holdfast.avoided_lanes.worker_id is 'The worker.';
comment on column holdfast.avoided_lanes.lane is 'The lane.';
comment on column holdfast.avoided_lanes.until is 'Until when it claims nothing there.';

create index runs_ended on holdfast.runs (ended_at) where ended_at is not null;
create index events_kept on holdfast.events (at) where job_id is null or actor is not null;

-- Nothing looks for the children of a job: they are a run.
drop index holdfast.jobs_parent;
