"""A part of a list that is read step by step."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Page(Generic[T, P]):
    """`next` is the place to continue from; None at the end. A page may be empty and not the last."""

    items: list[T]
    next: P | None
