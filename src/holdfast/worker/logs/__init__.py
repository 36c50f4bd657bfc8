"""What handlers log, on its way to the database."""
