"""`holdfast flags`."""
