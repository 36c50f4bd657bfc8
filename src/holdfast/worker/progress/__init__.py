"""What handlers report of their progress, on its way to the database."""
