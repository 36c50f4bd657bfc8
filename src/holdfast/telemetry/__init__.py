"""Every event has one name, from one list; logs are those events rendered."""
