"""The context that a handler receives besides its payload."""


class Context:
    """Base of the worker's JobContext; a parameter annotated with it is filled in by the worker.

    It lives here so that a task can recognise the parameter without loading the worker.
    """

    __slots__ = ()
