"""The annotations of a handler or of an agent's tool, resolved."""

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
            f"An annotation of {name} cannot be resolved: {exc}.",
            "import the name at the top of the module, outside of TYPE_CHECKING",
        ) from None


def is_context(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Context)
