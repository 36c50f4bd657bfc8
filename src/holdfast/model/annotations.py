"""What the annotations of a function say: a handler's, or those of an agent's tool."""

import typing
from collections.abc import Callable
from typing import Any

from holdfast.model.context import Context
from holdfast.model.error import BadHandler


def hints_of(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as exc:
        raise BadHandler(
            f"An annotation of {name} cannot be found: {exc}.",
            "import the name at the top of the module, not under TYPE_CHECKING, and before the function",
        ) from None


def is_context(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Context)
