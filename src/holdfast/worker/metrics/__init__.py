"""A worker's own figures, for Prometheus."""
