-- Where the ready jobs of a lane begin, while dead entries that nobody may remove stand before them.
create table holdfast.lane_marks (
  lane      integer not null,
  urgency   smallint not null,
  rank_at   timestamptz not null,
  looked_at timestamptz not null,
  walked    bigint not null,
  constraint lane_marks_pkey primary key (lane, urgency)
) with (fillfactor = 50);
comment on table holdfast.lane_marks is 'Where the ready jobs of a lane begin, while a held snapshot keeps dead entries before them. A hint: claims begin there, and a look from the start finds who came late.';
comment on column holdfast.lane_marks.lane is 'The lane.';
comment on column holdfast.lane_marks.urgency is 'Urgency of the jobs.';
comment on column holdfast.lane_marks.rank_at is 'Claims pass over ranks before this one.';
comment on column holdfast.lane_marks.looked_at is 'When the lane was last read from its start.';
comment on column holdfast.lane_marks.walked is 'Index entries that were read then.';
