"""A handler's signature: which payload fits it, and how to call it by name."""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from holdfast.client.convert import Converter, Plain, converter_for, plain_fit
from holdfast.model.annotations import hints_of, is_context
from holdfast.model.error import BadHandler, InvalidPayload
from holdfast.model.payload import JsonText, encode

_REFUSED: dict[Any, str] = {
    Parameter.POSITIONAL_ONLY: "it is positional-only, and payloads name their values: remove the slash",
    Parameter.VAR_POSITIONAL: "payloads name their values: take one parameter that is a list",
    Parameter.VAR_KEYWORD: "a payload is checked by name: take one parameter that is a dict",
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
                f"{_called(handler)} has two contexts, {' and '.join(contexts)}.", "keep one of them"
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
        self._check_names(given)
        return encode({name: self._converters[name].to_json(value) for name, value in given.items()})

    def arguments(self, payload: Any) -> dict[str, Any]:
        """The keyword arguments for a stored payload, without the context."""
        if not isinstance(payload, dict):
            raise self._misfit(f"the payload is {type(payload).__name__} and not an object with names")
        self._check_names(payload)
        return {name: self._converters[name].from_json(value) for name, value in payload.items()}

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._positional):
            raise self._misfit(f"{len(args)} values were given without a name, which are too many")
        given = dict(zip(self._positional, args, strict=False))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise self._misfit(f"{min(twice)} was given twice", min(twice))
        return given | kwargs

    def _check_names(self, given: dict[str, Any]) -> None:
        if given.keys() == self._converters.keys():
            return
        for name in given:
            if name not in self._converters:
                raise self._misfit(f"it has no parameter {name}", name)
        for name in self._required:
            if name not in given:
                raise self._misfit(f"{name} is missing", name)

    def _misfit(self, why: str, name: str | None = None) -> InvalidPayload:
        path = "$" if name is None else f"$.{name}"
        return InvalidPayload(f"The handler cannot be called: {why}.", f"it takes {self._text}", path)


def _parameter(handler: Callable[..., Any], parameter: Parameter, hints: dict[str, Any]) -> Converter:
    why = _REFUSED.get(parameter.kind)
    if why is not None:
        raise BadHandler(f"{_called(handler)} cannot take {parameter}.", why)
    try:
        converter = converter_for(hints.get(parameter.name, Any), f"$.{parameter.name}")
    except BadHandler as exc:
        raise BadHandler(
            f"{_called(handler)} cannot take {parameter.name}: {exc.message}", exc.hint
        ) from None
    if parameter.default is not Parameter.empty:
        _check_default(handler, parameter, converter)
    return converter


def _check_default(handler: Callable[..., Any], parameter: Parameter, converter: Converter) -> None:
    """A default of None is allowed whatever the annotation, as it is common to write it so."""
    if parameter.default is None:
        return
    try:
        encode(converter.to_json(parameter.default))
    except InvalidPayload as exc:
        raise BadHandler(
            f"The default of {parameter.name} in {_called(handler)} cannot be in a payload: {exc.message}",
            "use None as the default and put the real one in the handler",
        ) from None


def _output(handler: Callable[..., Any], hints: dict[str, Any]) -> Converter:
    """What is made of JSON types is not checked: a handler may return more than it promised."""
    annotation = hints.get("return", Any)
    if plain_fit(annotation) is not None:
        return Plain("$", Any, lambda _: True)
    try:
        return converter_for(annotation, "$")
    except BadHandler as exc:
        raise BadHandler(f"{_called(handler)} cannot return that: {exc.message}", exc.hint) from None


def _called(handler: Callable[..., Any]) -> str:
    return getattr(handler, "__qualname__", repr(handler))
