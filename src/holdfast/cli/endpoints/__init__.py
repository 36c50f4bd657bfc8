"""`holdfast endpoints`."""
