"""Markup that is safe by construction: every text is escaped unless a function here made it."""

from html import escape

from holdfast.model.printable import printable

# Attributes of SVG that are not lower case.
_CASED = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}
_EMPTY = frozenset({"meta", "br", "hr"})

Child = str | int | None


class Markup(str):
    """Text that is markup already. Template engines know it by `__html__` and do not escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(kind: str, /, *children: Child, **attributes: Child | float | bool) -> Markup:
    """`class_` is the attribute class, `data_label` is data-label. None and False leave an attribute out."""
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if kind in _EMPTY:
        return Markup(f"<{kind}{written}>")
    return Markup(f"<{kind}{written}>{joined(*children)}</{kind}>")


def joined(*children: Child) -> Markup:
    return Markup("".join(safe(child) for child in children if child is not None))


def safe(text: Child) -> Markup:
    """Control characters, line breaks and marks that turn the direction of text are shown as escapes."""
    if isinstance(text, Markup):
        return text
    return Markup(escape(printable(str(text)), quote=True))


def _attribute(name: str, value: Child | float | bool) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    spelled = _CASED.get(spelled, spelled)
    if value is True:
        return f" {spelled}"
    shown = f"{value:.4g}" if isinstance(value, float) else safe(value)
    return f' {spelled}="{shown}"'
