"""`holdfast dead`: dead letters."""
