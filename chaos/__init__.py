"""`./dev chaos`: real workers under random faults, and a check that no job was lost or doubled."""
