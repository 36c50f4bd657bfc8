"""A mapping is read whole, or refused with the key and the line that are wrong."""

import pytest

from holdfast.model.error import InvalidOption
from holdfast.model.import_mapping import FOREVER, Value, read_mapping

GOOD = """
id = "id"
pending = "status = 'pending'"
task = { column = "kind", values = { new = "match" } }
payload = { columns = ["a", "b"] }
priority = { column = "priority", lowest = 10, highest = 1 }
unique_for = "90d"

[labels]
source = "alerts"
kind = { column = "kind" }
"""
SHORT = 'id = "id"\npending = "true"\ntask = "t"\npayload = { column = "p" }\n'


def test_a_mapping_says_what_each_option_gets() -> None:
    found = read_mapping(GOOD, "m.toml")
    assert (found.id, found.pending, found.payload) == ("id", "status = 'pending'", {"a": "a", "b": "b"})
    assert found.options == {
        "task": Value(column="kind", values={"new": "match"}),
        "priority": Value(column="priority", lowest=10, highest=1),
    }
    assert found.labels == {"source": Value("alerts"), "kind": Value(column="kind")}
    assert found.unique_for == 90 * 86_400
    assert found.columns.keys() == {"id", "kind", "a", "b", "priority"}
    assert read_mapping(SHORT, "m.toml").unique_for == FOREVER


@pytest.mark.parametrize(
    ("wrong", "line", "word"),
    [
        ("colour = 'red'", 5, "no key colour"),
        ("priority = 101", 5, "priority cannot be 101"),
        ("priority = true", 5, "priority cannot be True"),
        ("priority = { lowest = 1, highest = 10 }", 5, "needs a column"),
        ('priority = { column = "p", lowest = 1 }', 5, "two different numbers"),
        ('priority = { column = "p", lowest = 1, highest = 1 }', 5, "two different numbers"),
        ('priority = { column = "p", invert = true }', 5, "no key invert"),
        ('queue = { column = "p", lowest = 1, highest = 2 }', 5, "no key highest"),
        ('queue = { column = "p", values = ["a"] }', 5, "values must be a table"),
        ("queue = ''", 5, "queue cannot be ''"),
        ('run_at = "now"', 5, "run_at cannot be 'now'"),
        ("max_failures = 0", 5, "max_failures cannot be 0"),
        ("labels = 'a'", 5, "labels must be a table"),
        ("[labels]\na = []", 5, "labels cannot be []"),
        ("order = 1", 5, "order must be a non-empty string"),
        ('unique_for = "live"', 5, "duration"),
    ],
)
def test_a_wrong_key_is_refused_with_its_line_and_an_example(wrong: str, line: int, word: str) -> None:
    with pytest.raises(InvalidOption) as refused:
        read_mapping(f"{SHORT}{wrong}\n", "m.toml")
    assert refused.value.message.startswith(f"m.toml, line {line}: ")
    assert word in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("key", ["id", "pending", "task", "payload"])
def test_a_mapping_without_a_needed_key_is_refused(key: str) -> None:
    rest = "".join(line for line in SHORT.splitlines(keepends=True) if not line.startswith(key))
    with pytest.raises(InvalidOption, match=f"the key {key} is missing"):
        read_mapping(rest, "m.toml")


@pytest.mark.parametrize(
    "payload", ['"p"', "{ columns = [] }", "{ columns = [1] }", '{ column = "a", x = 1 }']
)
def test_a_payload_that_names_no_columns_is_refused(payload: str) -> None:
    with pytest.raises(InvalidOption, match="payload must name its columns"):
        read_mapping(SHORT.replace('{ column = "p" }', payload), "m.toml")


def test_what_is_not_toml_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidOption, match="line 2"):
        read_mapping("id = 'id'\npending =\n", "m.toml")
