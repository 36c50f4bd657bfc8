"""`holdfast runs`."""
