"""Every event is on the list, with its fields, and every event on the list is emitted."""

import ast
import logging
from collections.abc import Iterator

from holdfast.telemetry.event_list import Event
from tests.repo.tree import ROOT

SOURCES = ROOT / "src" / "holdfast"
LIST = SOURCES / "telemetry" / "event.py"
# What a line of JSON has besides the fields of an event.
ENVELOPE = {"time", "level", "logger", "pid", "event", "message"}


def test_every_listed_event_is_emitted() -> None:
    used = {name for tree in trees() for node in ast.walk(tree) for name in named_in(node)}
    assert set(Event.__members__) - used == set()


def test_every_emit_gives_fields_that_the_list_names() -> None:
    wrong = [
        f"{name}: {keyword.arg}"
        for name, call in emits()
        for keyword in call.keywords
        if keyword.arg not in (None, "exception", *Event[name].fields)
    ]
    assert wrong == []


def test_every_emit_names_an_event() -> None:
    assert len(list(emits())) > 40
    assert all(name in Event.__members__ for name, _ in emits())


def test_names_are_dotted_and_unique_and_fields_never_hide_the_rest_of_a_line() -> None:
    assert all(event.value.count(".") == 1 and event.value.islower() for event in Event)
    assert len({event.value for event in Event}) == len(Event.__members__)
    assert [event for event in Event if ENVELOPE & set(event.fields)] == []


def test_levels_are_those_of_logging_and_every_event_says_what_it_means() -> None:
    known = {logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR}
    assert {event.level for event in Event} == known
    assert all(event.meaning.endswith(".") for event in Event)
    assert all(Event[f"JOB_{name}"].level == logging.DEBUG for name in ("STARTED", "COMPLETED", "ADVANCED"))


def test_a_call_gives_a_level_only_where_it_differs_from_the_list() -> None:
    repeated = [
        name
        for name, call in emits()
        for level in call.args[1:]
        if isinstance(level, ast.Attribute) and getattr(logging, level.attr) == Event[name].level
    ]
    assert repeated == []


def trees() -> Iterator[ast.AST]:
    for path in SOURCES.rglob("*.py"):
        if path != LIST:
            yield ast.parse(path.read_text())


def named_in(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(value=ast.Name(id="Event"), attr=name):
            yield name
        case _:
            pass


def emits() -> Iterator[tuple[str, ast.Call]]:
    """The calls that name their event; those of job events choose it by the end."""
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "emit":
                (first, *_) = node.args
                if isinstance(first, ast.Attribute):
                    yield first.attr, node
