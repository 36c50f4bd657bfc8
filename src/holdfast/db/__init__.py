"""The only speaker of SQL: one thin function per verb."""
