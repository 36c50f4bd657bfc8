"""Ends on their way to the database."""
