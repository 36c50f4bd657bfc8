"""A handler's signature: which payload fits it, and how to call it by name."""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from holdfast.client.json_conversion import Converter, Plain, converter_for, plain_fit
from holdfast.model.annotations import hints_of, is_context
from holdfast.model.error import BadHandler, InvalidPayload
from holdfast.model.payload import JsonText, encode

_REFUSED: dict[Any, str] = {
    Parameter.POSITIONAL_ONLY: "remove the slash from the signature, because values are passed by name",
    Parameter.VAR_POSITIONAL: "replace *args by a list parameter, because values are passed by name",
    Parameter.VAR_KEYWORD: "replace **kwargs by a dict parameter, because payloads are checked by name",
}


class Signature:
    """What a handler takes and returns."""

    __slots__ = ("_converters", "_positional", "_required", "_text", "context_parameter", "output")

    def __init__(self, handler: Callable[..., Any]) -> None:
        hints = hints_of(handler, _called(handler))
        parameters = [*inspect.signature(handler).parameters.values()]
        contexts = [one.name for one in parameters if is_context(hints.get(one.name))]
        if len(contexts) > 1:
            raise BadHandler(
                f"The handler {_called(handler)} has more than one parameter for the context:"
                f" {', '.join(contexts)}.",
                "keep one of these parameters",
            )
        own = [one for one in parameters if one.name not in contexts]
        self._converters = {one.name: _parameter(handler, one, hints) for one in own}
        self._positional = [one.name for one in own if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
        self._required = [one.name for one in own if one.default is Parameter.empty]
        self._text = str(inspect.Signature(own))
        self.context_parameter = contexts[0] if contexts else None
        self.output = _output(handler, hints)

    def payload(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> JsonText:
        """The payload for a call; raises InvalidPayload, naming the parameter, if it does not fit."""
        given = self._named(args, kwargs) if args else kwargs
        if given.keys() != self._converters.keys():
            self._check_names(given)
        return encode({name: self._converters[name].to_json(value) for name, value in given.items()})

    def arguments(self, payload: Any) -> dict[str, Any]:
        """The keyword arguments for a stored payload, without the context."""
        if not isinstance(payload, dict):
            raise self._misfit(f"the payload must be a JSON object (got {type(payload).__name__})")
        if payload.keys() != self._converters.keys():
            self._check_names(payload)
        return {name: self._converters[name].from_json(value) for name, value in payload.items()}

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._positional):
            raise self._misfit(
                f"the handler takes {len(self._positional)} positional values (got {len(args)})"
            )
        given = dict(zip(self._positional, args, strict=False))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise self._misfit(f"the parameter {min(twice)} was passed twice", min(twice))
        return given | kwargs

    def _check_names(self, given: dict[str, Any]) -> None:
        """Parameters with a default may be missing."""
        for name in given:
            if name not in self._converters:
                raise self._misfit(f"the handler has no parameter {name}", name)
        for name in self._required:
            if name not in given:
                raise self._misfit(f"the parameter {name} is missing", name)

    def _misfit(self, why: str, name: str | None = None) -> InvalidPayload:
        path = "$" if name is None else f"$.{name}"
        return InvalidPayload(
            f"The handler cannot be called with this payload: {why}.", f"the handler takes {self._text}", path
        )


def _parameter(handler: Callable[..., Any], parameter: Parameter, hints: dict[str, Any]) -> Converter:
    why = _REFUSED.get(parameter.kind)
    if why is not None:
        raise BadHandler(f"The handler {_called(handler)} cannot have the parameter {parameter}.", why)
    try:
        converter = converter_for(hints.get(parameter.name, Any), f"$.{parameter.name}")
    except BadHandler as exc:
        raise BadHandler(
            f"The parameter {parameter.name} of the handler {_called(handler)} has an unsuitable type:"
            f" {exc.message}",
            exc.hint,
        ) from None
    if parameter.default is not Parameter.empty:
        _check_default(handler, parameter, converter)
    return converter


def _check_default(handler: Callable[..., Any], parameter: Parameter, converter: Converter) -> None:
    """A default of None is allowed with every annotation, because it is common."""
    if parameter.default is None:
        return
    try:
        encode(converter.to_json(parameter.default))
    except InvalidPayload as exc:
        raise BadHandler(
            f"The default value of the parameter {parameter.name} of the handler {_called(handler)} cannot be"
            f" stored in a payload: {exc.message}",
            "use None as the default, and set the real default inside the handler",
        ) from None


def _output(handler: Callable[..., Any], hints: dict[str, Any]) -> Converter:
    """Return values of JSON types are not checked: a handler may return more than its annotation says."""
    annotation = hints.get("return", Any)
    if plain_fit(annotation) is not None:
        return Plain("$", Any, lambda _: True)
    try:
        return converter_for(annotation, "$")
    except BadHandler as exc:
        raise BadHandler(
            f"The return type of the handler {_called(handler)} is unsuitable: {exc.message}", exc.hint
        ) from None


def _called(handler: Callable[..., Any]) -> str:
    return getattr(handler, "__qualname__", repr(handler))
