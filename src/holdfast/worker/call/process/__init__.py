"""Process mode: handlers in child processes, which can be limited and killed."""
