"""Ids as people give them."""

from uuid import UUID

from holdfast.model.error import InvalidInput


def read_id(value: UUID | str) -> UUID:
    try:
        return value if isinstance(value, UUID) else UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise InvalidInput(
            f"An id must be a UUID (got {value!r}).", "pass an id as enqueue returns it"
        ) from None
