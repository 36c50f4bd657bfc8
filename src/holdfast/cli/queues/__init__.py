"""`holdfast queues` and `holdfast stats`."""
