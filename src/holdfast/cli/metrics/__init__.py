"""`holdfast metrics`: figures from outside, and how long statistics are kept."""
