"""`holdfast keys`: access keys of the HTTP API."""
