-- An endpoint's last good answer need not be a success: one that only refuses what it was asked is well.
comment on column holdfast.endpoints.last_ok is 'When a call was last answered well, with success or not.';
comment on column holdfast.endpoints.trip_quiet is '… if there was no good answer for so many seconds.';
