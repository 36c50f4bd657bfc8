"""`holdfast rollouts`."""
