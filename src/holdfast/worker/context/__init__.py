"""The JobContext of a handler, and the port through which it reaches the database."""
