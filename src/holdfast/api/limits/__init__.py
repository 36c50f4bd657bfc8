"""Limits of the server per caller, and calls without keys."""
