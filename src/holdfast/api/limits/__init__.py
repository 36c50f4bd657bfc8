"""What one caller may take of the server, and calls without keys."""
