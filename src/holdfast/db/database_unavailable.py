"""What is said when no database answers: why, and which setting named it, never its password."""

import asyncpg

from holdfast.db.address import URL_HINT, Address
from holdfast.model.error import DatabaseError, DatabaseUnavailable, HoldfastError, InvalidOption


def no_answer(exc: BaseException) -> HoldfastError:
    """The error of a connection that failed or broke."""
    if isinstance(exc, asyncpg.ClientConfigurationError):
        return InvalidOption(f"The database URL is not valid: {exc}.", URL_HINT)
    if isinstance(exc, TimeoutError):
        return DatabaseUnavailable("The database did not answer in time.")
    if isinstance(exc, asyncpg.InterfaceError | asyncpg.InternalClientError | OSError):
        return DatabaseUnavailable(f"The database cannot be reached: {str(exc) or type(exc).__name__}.")
    return DatabaseError(f"{type(exc).__name__}: {exc}")


def invalid_url(exc: ValueError, address: Address) -> HoldfastError:
    return InvalidOption(f"The database URL ({address.source}) is not valid: {exc}.", URL_HINT)


def name_address(error: HoldfastError, address: Address) -> HoldfastError:
    """Adds which setting named the database, to the error of a failed connect."""
    error.message = f"{error.message} The address came from {address.source}."
    error.args = (error.message,)
    if isinstance(error, DatabaseUnavailable) and error.hint == DatabaseUnavailable.default_hint:
        error.hint = f"check that PostgreSQL is running, and that {address.source} is its address"
    return error
