import copy
import inspect
import re
import traceback
from datetime import timedelta

import pytest

from holdfast.model import end_attempt, error
from holdfast.model.end_attempt import EndAttempt, RateLimited, Retry, Snooze
from holdfast.model.error import DatabaseError, DatabaseUnavailable, HoldfastError, SchemaBehind


def classes_of(module: object, base: type[BaseException]) -> list[type[BaseException]]:
    found = [value for _, value in inspect.getmembers(module, inspect.isclass) if issubclass(value, base)]
    assert found
    return found


def drawn_parents(docstring: str) -> dict[str, str]:
    """Each name of the drawn tree and the name that stands above it, one level out."""
    parents: dict[str, str] = {}
    above: dict[int, str] = {}
    for line in docstring.splitlines():
        found = re.match(r"([│├└─ ]*)([A-Z]\w+)(?: |$)", line)
        if found and (found[1] or found[2] in ("HoldfastError", "EndAttempt")):
            depth = len(found[1]) // 4
            above[depth] = found[2]
            parents[found[2]] = above.get(depth - 1, "Exception")
    return parents


@pytest.mark.parametrize(("module", "base"), [(error, HoldfastError), (end_attempt, EndAttempt)])
def test_the_drawn_tree_is_the_real_one(module: object, base: type[BaseException]) -> None:
    real = {found.__name__: found.__bases__[0].__name__ for found in classes_of(module, base)}
    assert drawn_parents(module.__doc__ or "") == real


def test_every_error_has_an_exit_code_that_the_command_line_documents() -> None:
    for kind in classes_of(error, HoldfastError):
        assert issubclass(kind, HoldfastError)
        assert kind.exit_code in range(1, 8)
        assert kind.__doc__


def test_a_statement_that_failed_is_not_a_database_that_is_gone() -> None:
    assert (DatabaseError("no").exit_code, DatabaseUnavailable("no").exit_code) == (1, 3)
    assert not isinstance(DatabaseError("no"), DatabaseUnavailable)


def test_a_hint_given_wins_over_that_of_the_class() -> None:
    assert SchemaBehind("old").hint == "run 'holdfast migrate'"
    assert SchemaBehind("old", "ask your administrator").hint == "ask your administrator"
    assert str(SchemaBehind("old")) == "old"


def test_signals_read_durations_as_people_write_them() -> None:
    assert Snooze("5m").delay == timedelta(minutes=5)
    assert Retry("again", delay=3).delay == timedelta(seconds=3)
    assert Retry().delay is None
    assert RateLimited(retry_after="250ms").retry_after == timedelta(milliseconds=250)


def test_a_traceback_shows_the_hint_once_and_only_the_one_that_counts() -> None:
    error = SchemaBehind("old")
    error.add_note("seen on Monday")
    error.hint = "ask your administrator"
    shown = traceback.format_exception(copy.copy(error))
    assert shown[-1] == "hint: ask your administrator\n"
    assert "seen on Monday\n" in shown
    assert "".join(shown).count("hint: ") == 1
    assert "hint" not in "".join(traceback.format_exception(HoldfastError("no")))
