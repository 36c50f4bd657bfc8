"""`holdfast pipelines`."""
