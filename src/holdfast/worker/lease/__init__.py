"""The worker's lease."""
