"""A request that cannot be served, and why."""


class HttpError(Exception):
    """After a `fatal` one nobody knows where the next request begins, so the connection is closed."""

    def __init__(self, status: int, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.fatal = fatal
