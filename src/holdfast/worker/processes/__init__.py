"""Handlers in processes of their own, which can be limited and killed."""
