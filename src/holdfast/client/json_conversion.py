"""Conversion between Python values and JSON by annotations; pydantic is loaded only where it is needed."""

import json
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from holdfast.model.describe_value import described, fault_of
from holdfast.model.error import BadHandler, InvalidPayload

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

Fits = Callable[[Any], bool]


class Converter(ABC):
    """For one parameter, or for a handler's return value; `path` is the value's place in the JSON."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    @abstractmethod
    def to_json(self, value: Any) -> Any: ...

    @abstractmethod
    def from_json(self, value: Any) -> Any: ...


class Plain(Converter):
    """JSON types: passed unchanged if they fit the annotation."""

    __slots__ = ("_annotation", "_fits")

    def __init__(self, path: str, annotation: Any, fits: Fits) -> None:
        super().__init__(path)
        self._annotation = annotation
        self._fits = fits

    def to_json(self, value: Any) -> Any:
        if not self._fits(value):
            raise InvalidPayload(
                f"{self.path} must be {_name(self._annotation)} (got {described(value)}).",
                "pass a value of that type, or correct the annotation",
                self.path,
            )
        return value

    from_json = to_json


class Modelled(Converter):
    """Everything that pydantic supports: models, dataclasses, enums, times, UUIDs."""

    __slots__ = ("_adapter", "_annotation")

    def __init__(self, path: str, annotation: Any, adapter: "TypeAdapter[Any]") -> None:
        super().__init__(path)
        self._annotation = annotation
        self._adapter = adapter

    def to_json(self, value: Any) -> Any:
        from pydantic import ValidationError
        from pydantic_core import PydanticSerializationError

        try:
            valid = self._adapter.validate_python(value)
            written = self._adapter.dump_python(valid, mode="json", by_alias=True)
            returned = self._adapter.validate_json(json.dumps(written))
        except ValidationError as exc:
            raise self._refused(exc) from None
        except (PydanticSerializationError, TypeError, ValueError) as exc:
            raise InvalidPayload(f"{self.path} cannot be written as JSON: {exc}.", path=self.path) from None
        if returned != valid:
            raise InvalidPayload(
                f"{self.path} cannot be stored as JSON without a change: the handler would get a "
                f"{described(returned)} that is not equal to the given {described(valid)}.",
                "annotate the parameter with the value's own type, and define __eq__ for that type",
                self.path,
            )
        return written

    def from_json(self, value: Any) -> Any:
        """Through JSON text, because in JSON mode strict models also accept a string for a time."""
        from pydantic import ValidationError

        try:
            return self._adapter.validate_json(json.dumps(value))
        except ValidationError as exc:
            raise self._refused(exc) from None

    def _refused(self, exc: "ValidationError") -> InvalidPayload:
        first: dict[str, Any] = {**exc.errors(include_url=False)[0]}
        path = self.path + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"])
        wanted = _name(self._annotation)
        if first["type"] == "missing":
            return InvalidPayload(
                f"{path} is missing, but {wanted} needs it.", f"add {path} to the payload", path
            )
        return InvalidPayload(
            f"{path} does not fit {wanted} (got {described(first['input'])}): {fault_of(first)}.",
            "pass a value that the handler's annotation allows",
            path,
        )


def converter_for(annotation: Any, path: str) -> Converter:
    """Raises BadHandler for a type that JSON cannot carry."""
    fits = plain_fit(annotation)
    if fits is not None:
        return Plain(path, annotation, fits)
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        return Modelled(path, annotation, TypeAdapter(annotation))
    except (PydanticUserError, TypeError) as exc:
        raise BadHandler(
            f"{_name(annotation)} cannot be stored as JSON: {str(exc).splitlines()[0]}",
            "use JSON types, a pydantic model or a dataclass; do not pass connections, but open them in the "
            "handler",
        ) from None


def plain_fit(annotation: Any) -> Fits | None:
    """A check for annotations made of JSON types only, else None."""
    if _hashable(annotation) and annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return _one_of(inner) if all(type(one) in _LITERALS for one in inner) else None
    fits = [plain_fit(one) for one in inner]
    known = [fit for fit in fits if fit is not None]
    return _compound_fit(origin, inner, known) if len(known) == len(fits) else None


def _compound_fit(origin: Any, inner: tuple[Any, ...], fits: list[Fits]) -> Fits | None:
    if origin in (typing.Union, types.UnionType):
        return lambda value: any(fit(value) for fit in fits)
    if origin is list:
        return _list_of(fits[0])
    if origin is dict and inner[0] is str:
        return _dict_of(fits[1])
    return None


def _one_of(choices: tuple[Any, ...]) -> Fits:
    return lambda value: any(type(value) is type(one) and value == one for one in choices)


def _list_of(fit: Fits) -> Fits:
    return lambda value: isinstance(value, list | tuple) and all(map(fit, value))


def _dict_of(fit: Fits) -> Fits:
    return lambda value: isinstance(value, dict) and all(map(fit, value.values()))


def _anything(_: Any) -> bool:
    return True


def _is(*kinds: type) -> Fits:
    return lambda value: isinstance(value, kinds)


_LITERALS = frozenset({str, int, bool, type(None)})
_SCALARS: dict[Any, Fits] = {
    Any: _anything,
    object: _anything,
    Parameter.empty: _anything,
    list: _list_of(_anything),
    dict: _dict_of(_anything),
    str: _is(str),
    bool: _is(bool),
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    float: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    None: lambda value: value is None,
    type(None): lambda value: value is None,
}


def _hashable(annotation: Any) -> bool:
    """Annotated[…] with a list or dict as metadata is not hashable."""
    return getattr(annotation, "__hash__", None) is not None and not hasattr(annotation, "__metadata__")


def _name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
