"""Every event has one name, from one list; the log is those events rendered, and hooks listen to them."""
