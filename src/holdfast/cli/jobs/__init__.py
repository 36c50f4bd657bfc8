"""`holdfast jobs`, `enqueue`, `explain` and `errors`."""
