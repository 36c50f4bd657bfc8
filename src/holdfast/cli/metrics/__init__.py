"""`holdfast metrics`: figures from outside."""
