"""`holdfast metrics`: metrics for Prometheus, and figures from outside."""
