"""Reports: what happened in a period, read in one snapshot."""
