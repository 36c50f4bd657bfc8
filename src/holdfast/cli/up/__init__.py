"""`holdfast up`."""
