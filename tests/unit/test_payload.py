import enum
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.error import InvalidPayload
from holdfast.model.payload import DEPTH, decode, encode, read

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
scalars = (
    st.none()
    | st.booleans()
    | text
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**398), 10**399)
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=30)


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@given(values)
def test_an_accepted_payload_comes_back_equal(value: Any) -> None:
    back = decode(encode(value))
    assert back == value
    assert repr(back) == repr(value), "True is equal to 1, so that equality alone proves little"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [0, {"b": math.nan}]}, "$.a[1].b"),
        ({"a": math.inf}, "$.a"),
        ({"a" * 61: [math.inf]}, f"$['{'a' * 60}'][0]"),
        ({"a": {1: "x"}}, "$.a"),
        ({1: "x"}, "$"),
        ({None: "x"}, "$"),
        ({True: "x"}, "$"),
        ([{"a": {(1, 2): 3}}], "$[0].a"),
        ({"a": [object()]}, "$.a[0]"),
        ({"a": {1, 2}}, "$.a"),
        ({"a": b"bytes"}, "$.a"),
        ({"a": "half \ud800"}, "$.a"),
        ({"a": [{"half \udfff": 1}]}, "$.a[0]"),
        ({"a b": "nul \x00"}, "$['a b']"),
        ({"nul \x00": 1}, "$"),
        ({"a": 10**400}, "$.a"),
        ({"a": [-(10**399)]}, "$.a[0]"),
        ({"a": 10**5000}, "$.a"),
        ([1, "x" * 500, 10**400], "$[2]"),
        (nested(DEPTH + 1), "$" + "[0]" * DEPTH),
        ({"a": nested(100_000)}, "$.a" + "[0]" * (DEPTH - 1)),
    ],
)
def test_what_would_not_come_back_equal_is_refused_with_its_path(value: Any, path: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        encode(value)
    assert caught.value.path == path
    assert caught.value.message.endswith(".")


def test_a_circle_is_refused_and_does_not_hang() -> None:
    value: dict[str, Any] = {}
    value["self"] = [value]
    with pytest.raises(InvalidPayload, match="nested too deeply"):
        encode(value)


@pytest.mark.parametrize(
    "value",
    [
        nested(DEPTH),
        {"a": [{}] * 1000},
        {"text": "a backslash and not a NUL: \\u0000"},
        {"emoji": "😀", "ü": "\u2028\x01\t"},
        {"n": 10**400 - 1, "m": -(10**399) + 1, "tiny": 5e-324, "big": 1.7976931348623157e308},
        {"digits in a text": "9" * 5000},
        [],
        {},
        None,
        "",
        0,
    ],
)
def test_unusual_but_good_payloads_are_accepted(value: Any) -> None:
    assert decode(encode(value)) == value


def test_tuples_come_back_as_lists() -> None:
    assert decode(encode({"a": (1, (2, 3))})) == {"a": [1, [2, 3]]}


def test_enums_of_text_and_integers_count_as_their_values() -> None:
    assert decode(encode({Colour.RED: [Colour.RED, Level.HIGH]})) == {"red": ["red", 3]}


def test_a_wrong_key_is_found_inside_a_subclass_of_dict() -> None:
    class Special(dict[Any, Any]):
        pass

    with pytest.raises(InvalidPayload) as caught:
        encode({"a": Special({1: 2})})
    assert caught.value.path == "$.a"


def test_the_limit_counts_bytes_and_not_characters() -> None:
    value = "ü" * 50
    assert encode(value, limit=102) == json.dumps(value, ensure_ascii=False)
    with pytest.raises(InvalidPayload, match=r"at most 101 bytes \(got 102\)"):
        encode(value, limit=101)


@pytest.mark.parametrize("text", ['{"a": [1]}', ' {"a": [1]}', '{"a": [1]}\n', '\t{ "a" : [ 1 ] } '])
def test_json_that_was_stored_with_blanks_is_read_too(text: str) -> None:
    assert decode(text) == {"a": [1]}


@pytest.mark.parametrize("text", ["", " ", "{", '{"a": 1} 2'])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("1e-324", "$"),
        ('{"a": [0, -2.4703282292062327e-324]}', "$.a[1]"),
        ("[0." + "0" * 330 + "1]", "$[0]"),
        ('{"a": 1, "a": 1}', "$.a"),
        ('{"a": null, "b c": [0, {"c": 1, "d": 2, "c": null}]}', "$['b c'][1].c"),
        (r'{"a": 1, "\u0061": 2}', "$.a"),
        ("[NaN]", "$[0]"),
        ("[1e400]", "$[0]"),
        ("[" * 100_000 + "]" * 100_000, "$" + "[0]" * DEPTH),
        ('{"a": [1, "[", {"b": ' + "[" * 100_000, "$.a[2].b" + "[0]" * (DEPTH - 3)),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "$" + ".a" * DEPTH),
    ],
    ids=lambda value: value[:30],
)
def test_text_that_would_not_come_back_equal_is_refused_with_its_path(text: str, path: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        encode(read(text))
    assert caught.value.path == path


@given(values)
def test_text_that_is_in_order_is_read_as_python_reads_it(value: Any) -> None:
    assert read(json.dumps(value)) == value


def test_a_number_that_is_zero_may_have_an_exponent() -> None:
    assert encode(read("[0.0, -0e5, 0e-400, 5e-324]")) == "[0.0,-0.0,0.0,5e-324]"
