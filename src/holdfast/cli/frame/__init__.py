"""What all commands share: the entry point, options, output and the session with the database."""
