"""The one error of the embedded server."""


class EmbeddedError(Exception):
    """The embedded PostgreSQL cannot be found, started or stopped; the message says what to do."""
