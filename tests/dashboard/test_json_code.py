"""JSON as code and as text: the same value, and nothing in it that steers."""

import json
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.dashboard.json_code import LONGEST, json_code, json_text, text_block
from holdfast.model.masking import Masking
from tests.dashboard.hostile import HOSTILE, assert_harmless

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)  # fmt: skip
NOTHING = Masking(frozenset())


@given(VALUES)
def test_the_text_of_a_value_is_the_same_value_and_can_be_seen(value: Any) -> None:
    for indent in (None, 2):
        text = json_text(value, indent)
        assert json.loads(text) == value
        assert all(line.isprintable() for line in text.split("\n"))


@given(VALUES)
def test_the_lines_are_those_of_the_text(value: Any) -> None:
    shown = ["".join(_texts(line)) for line in json_code(value, NOTHING, 10_000).lines]
    assert shown == json_text(value, 2).split("\n")


def _texts(markup: str) -> list[str]:
    """What stands between the tags."""
    return [unescape(part.split(">", 1)[-1]) for part in markup.split("<")]


def test_members_texts_and_figures_look_different() -> None:
    lines = json_code({"to": "ada", "n": 5}, NOTHING).lines
    assert '<span class="k">&quot;to&quot;</span>: <span class="s">&quot;ada&quot;</span>,' in lines[1]
    assert '<span class="d">5</span>' in lines[2]


def test_a_long_value_is_cut_and_says_so() -> None:
    many, long = json_code(list(range(1000)), NOTHING), json_code("x" * 10_000, NOTHING)
    assert (len(many.lines), many.is_cut, many.size) == (300, True, 3891)
    assert long.is_cut
    assert f"{10_002 - LONGEST:,} more characters" in long.lines[0]
    assert json_code({"x" * 10_000: 1}, NOTHING).is_cut
    assert not json_code({"to": "ada"}, NOTHING).is_cut


def test_hostile_text_stays_text() -> None:
    assert_harmless("".join(json_code({HOSTILE: HOSTILE}, NOTHING).lines))
    assert_harmless(text_block(json_text(HOSTILE)))


@pytest.mark.parametrize("value", [12345678901234567890, 0.1, -0.0, "\xa0", "\u2028", "👩‍💻", "\x7f"])
def test_unusual_scalars_come_back(value: Any) -> None:
    assert json.loads(json_text(value)) == value
    assert json_text(value).isprintable()


def test_a_masked_value_looks_like_no_value() -> None:
    code = json_code({"password": "hunter2", "said": "masked", "nested": [{"token": {"a": 1}}]}, Masking())
    page = "".join(code.lines)
    assert code.masked == 2
    assert page.count('<span class="masked">masked</span>') == 2
    assert "hunter2" not in page
    assert '<span class="s">&quot;masked&quot;</span>' in page
