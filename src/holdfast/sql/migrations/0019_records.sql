-- What functions pass to each other, as typed records in place of arrays that are paired by position.
create type holdfast.permit as (
  lane     integer,
  started  double precision,
  place    integer,
  is_probe boolean,
  expected double precision,
  used     double precision
);
comment on type holdfast.permit
  is 'What a running job holds of its endpoint: the lane that names it, when the call started, how many calls ran then,'
    ' whether it is a probe, the units expected, and those used. Only between functions; no table has it.';

create type holdfast.stage_entry as (
  job_id   uuid,
  visit    integer,
  stage    text,
  task     text,
  queue    text,
  lane     integer,
  timeout  interval,
  priority smallint,
  delay    interval,
  units    double precision
);
comment on type holdfast.stage_entry
  is 'The stage that a job enters, with what it changes in the job and the units of the stage that it leaves. Only'
    ' between functions; no table has it.';
