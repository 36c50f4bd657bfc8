"""`holdfast worker`, which runs jobs, and `holdfast workers`, which looks at those that do."""
