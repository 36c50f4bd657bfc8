"""Separate workers for jobs that may have ended their worker."""
