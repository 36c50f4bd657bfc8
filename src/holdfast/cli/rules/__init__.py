"""`holdfast rules`."""
