"""The look before the rules lets through every text that the rules would change, and few others."""

import random
import re
import string
from collections.abc import Iterator

import pytest

from holdfast.db.connect import Connection
from tests.sql.base.ordinary_lines import ordinary_lines
from tests.sql.base.secret_shapes import WITH_A_SECRET

TEXTS = 3_000
SIGNS = [
    "=",
    ": ",
    ":",
    " ",
    "\t",
    "\n",
    "-",
    "_",
    ".",
    "/",
    "://",
    "@",
    '"',
    "'",
    "?",
    "&",
    ", ",
    "--",
    " -",
    ">",
    "\x01",
    "\x7f",
]
MISSED = """
select t from unnest($1::text[]) as t
where not holdfast.may_hold_secret(t) and holdfast.redact_text(t) is distinct from t
"""


async def test_every_shape_of_a_secret_is_let_through(conn: Connection) -> None:
    missed = "select t from unnest($1::text[]) as t where not holdfast.may_hold_secret(t)"
    assert [row["t"] for row in await conn.fetch(missed, WITH_A_SECRET)] == []


@pytest.mark.parametrize("seed", range(3))
async def test_a_spoilt_shape_that_the_rules_change_is_let_through(conn: Connection, seed: int) -> None:
    texts = [*spoilt_shapes(random.Random(seed))]
    assert [row["t"] for row in await conn.fetch(MISSED, texts)] == []


@pytest.mark.parametrize("seed", range(3))
async def test_a_text_of_the_rules_own_words_is_let_through(conn: Connection, seed: int) -> None:
    """The words come from the rules as they are installed, so that a new rule is tested, too."""
    rules = await conn.fetchval(
        "select prosrc from pg_proc where oid = 'holdfast.redact_text(text)'::regprocedure"
    )
    texts = [*random_texts(re.findall(r"[A-Za-z0-9]{2,}", rules), random.Random(seed))]
    changed = await conn.fetchval(
        "select count(*) from unnest($1::text[]) as t where holdfast.redact_text(t) <> t", texts
    )
    assert changed > TEXTS / 20, "these texts hardly ever hold a secret: the test says nothing"
    assert [row["t"] for row in await conn.fetch(MISSED, texts)] == []


@pytest.mark.parametrize("text", ["x" * 8193, "é" * 4097, "🙂" * 2049, "\x02" * 9000, " " * 20_000])
async def test_a_text_that_must_be_cut_is_let_through(conn: Connection, text: str) -> None:
    assert await conn.fetchval("select holdfast.may_hold_secret($1)", text)
    assert not await conn.fetchval("select holdfast.may_hold_secret($1)", text[:2_000])


async def test_most_lines_of_a_log_need_no_rule(conn: Connection) -> None:
    lines = [*ordinary_lines(TEXTS, seed=7)]
    looked = "select count(*) from unnest($1::text[]) as t where holdfast.may_hold_secret(t)"
    assert await conn.fetchval(looked, lines) < TEXTS / 2


def spoilt_shapes(chance: random.Random) -> Iterator[str]:
    """Shapes of secrets cut, joined, in another case, and with control characters in them."""
    for _ in range(TEXTS):
        one, other = chance.choice(WITH_A_SECRET), chance.choice(WITH_A_SECRET)
        text = (
            one[chance.randrange(len(one)) :] + chance.choice(SIGNS) + other[: chance.randrange(len(other))]
        )
        place = chance.randrange(len(text))
        yield chance.choice(
            [
                text,
                text.upper(),
                text.lower(),
                text.swapcase(),
                text[:place] + chance.choice(SIGNS) + text[place:],
            ]
        )


def random_texts(words: list[str], chance: random.Random) -> Iterator[str]:
    alphabet = string.ascii_letters + string.digits
    for _ in range(TEXTS):
        yield "".join(
            part
            for _ in range(chance.randrange(2, 9))
            for part in (
                chance.choice(words),
                chance.choice(SIGNS),
                "".join(chance.choices(alphabet, k=chance.choice([0, 0, 3, 8, 16, 30, 44]))),
            )
        )
