"""Live updates and requests that wait: one read for all who wait for the same."""
