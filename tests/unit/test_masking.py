"""Values of fields that hold secrets are hidden; everything else stays as it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.error import InvalidOption
from holdfast.model.masking import DEEPEST, MASKED, USUAL, Masked, Masking

SECRET = "hunter2-55c0"
DEFAULT = Masking()

HIDDEN = [
    *sorted(USUAL), "PASSWORD", "db_password", "dbPassword", "DB-PASSWORD", "password1", "user.password",
    "api_key", "apiKey", "API-Key", "APIKey", "x-api-key", "accessKey", "AWS_ACCESS_KEY_ID", "private_key",
    "client_secret", "clientSecret", "refreshToken", "Set-Cookie", "\uff50\uff41\uff53\uff53\uff57\uff44",
    "pass\u200bword", "Proxy-Authorization", "password confirmation",
]  # fmt: skip
SHOWN = [
    "tokens", "max_tokens", "prompt_tokens", "tokenizer", "secretary", "author", "authorisation_of_use",
    "key", "api", "name", "keyboard", "cookiecutter", "", "_", "0", "passes", "access", "wordpass",
]  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_a_field_whose_name_has_the_word_is_hidden(name: str) -> None:
    assert DEFAULT.masked({"a": [{name: SECRET}]}) == {"a": [{name: MASKED}]}
    assert isinstance(DEFAULT.masked({name: {"deep": [SECRET]}})[name], Masked)
    if "." not in name:
        assert DEFAULT.hides(f"a.0.{name}.deep")


@pytest.mark.parametrize("name", SHOWN)
def test_a_field_that_only_looks_like_it_is_shown(name: str) -> None:
    value = {"a": [{name: SECRET}]}
    assert DEFAULT.masked(value) == value
    assert not isinstance(DEFAULT.masked(value)["a"][0][name], Masked)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"name": "Authorization", "value": SECRET}, {"name": "Authorization", "value": MASKED}),
        ({"Key": "DB_PASSWORD", "Value": SECRET}, {"Key": "DB_PASSWORD", "Value": MASKED}),
        (["Cookie", SECRET], ["Cookie", MASKED]),
        ([["Accept", "text"], ["cookie", SECRET]], [["Accept", "text"], ["cookie", MASKED]]),
        ({"name": "Ada", "value": "shown"}, {"name": "Ada", "value": "shown"}),
        (["cookie", "b", "c"], ["cookie", "b", "c"]),
    ],
)
def test_a_name_beside_its_value_is_known_too(value: Any, shown: Any) -> None:
    assert DEFAULT.masked({"headers": value}) == {"headers": shown}


def test_names_and_paths_are_added() -> None:
    more = Masking.with_more(["IBAN", "author.email", "items.0.price"])
    value = {
        "iban": 1, "payerIban": 2, "email": 3, "author": {"email": 4, "name": "K."}, "items": [{"price": 5}],
        "posts": [{"Author": {"Email": 6}}], "password": 7, "price": 8,
    }  # fmt: skip
    assert more.masked(value) == {
        "iban": MASKED, "payerIban": MASKED, "email": 3, "author": {"email": MASKED, "name": "K."},
        "items": [{"price": MASKED}], "posts": [{"Author": {"Email": MASKED}}], "password": MASKED,
        "price": 8,
    }  # fmt: skip
    assert [more.hides(path) for path in ("author.email", "posts.-1.author.email", "iban", "a.iban.b")] == [
        True
    ] * 4
    assert not any(more.hides(path) for path in ("email", "author.name", "author", "items.0"))


@pytest.mark.parametrize("wrong", ["", ".", "a.", ".a", "a..b", "-", "0", "x" * 201])
def test_a_name_that_hides_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidOption, match="name or a path"):
        Masking.with_more([wrong])


def test_a_mark_is_the_text_masked_and_can_be_told_from_it() -> None:
    shown = DEFAULT.masked({"token": SECRET, "note": "masked"})
    assert json.loads(json.dumps(shown)) == {"token": "masked", "note": "masked"}
    assert (isinstance(shown["token"], Masked), isinstance(shown["note"], Masked)) == (True, False)


def test_what_is_nested_too_deeply_is_hidden() -> None:
    value: Any = SECRET
    for _ in range(100_000):
        value = [value]
    shown, depth = DEFAULT.masked(value), 0
    while isinstance(shown, list):
        (shown,), depth = shown, depth + 1
    assert (shown, depth) == (MASKED, DEEPEST)


def test_a_long_name_takes_a_short_time() -> None:
    """Work grows with the length of the name, not with its square: this would take minutes."""
    assert not DEFAULT.hides("a_" * 100_000)
    assert DEFAULT.hides("a_" * 100_000 + "password")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NAMES = st.sampled_from(["a", "b c", "tokens", "Name", "0", ""]) | st.text(alphabet="xyz_", max_size=5)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)
SECRETS = st.recursive(
    st.just(SECRET), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
)
WITH_SECRETS = st.recursive(
    SCALARS
    | st.dictionaries(st.sampled_from([one for one in HIDDEN if "." not in one]), SECRETS, max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_a_value_without_hidden_names_stays_equal(value: Any) -> None:
    assert DEFAULT.masked(value) == value


@given(WITH_SECRETS)
def test_no_secret_is_shown_and_nothing_else_changes(value: Any) -> None:
    before = json.dumps(value)
    shown = DEFAULT.masked(value)
    assert SECRET not in json.dumps(shown)
    assert json.dumps(value) == before, "the value itself was changed"
    assert DEFAULT.masked(shown) == shown
    assert_same_but_for_marks(shown, value)


def assert_same_but_for_marks(shown: Any, value: Any) -> None:
    if isinstance(shown, Masked):
        return
    assert type(shown) is type(value)
    if isinstance(value, dict):
        assert list(shown) == list(value)
        for name, one in value.items():
            assert_same_but_for_marks(shown[name], one)
    elif isinstance(value, list):
        assert len(shown) == len(value)
        for mine, theirs in zip(shown, value, strict=True):
            assert_same_but_for_marks(mine, theirs)
    else:
        assert shown == value
