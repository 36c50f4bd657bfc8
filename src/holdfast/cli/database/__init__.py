"""`holdfast migrate`, `doctor` and `db`."""
