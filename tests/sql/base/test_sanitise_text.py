"""Known secrets never reach a stored text; ordinary text does."""

import pytest
import pytest_asyncio

from holdfast.db.connect import Connection
from tests.sql.base.ordinary_lines import ordinary_lines
from tests.sql.base.secret_shapes import CANARY, WITH_A_SECRET, leaks

LINES = 10_000
ORDINARY = [
    "",
    "could not connect to db.example:5432 after 3 tries",
    'Traceback (most recent call last):\n  File "app.py", line 3, in f\n    raise ValueError("no")',
    "https://example.com/path?page=2#part",
    "the key pk_holdfast_jobs_primary is violated: Key (id)=(5) already exists",
    "relation sk_learn_pipeline_table does not exist",
    "order_key=customer-7, unique_key=abc",
    "SELECT * FROM users WHERE id = 5",
    "max tokens exceeded, 4096 tokens used",
    "Ünïcödé 😀 and\ttabs\nand lines",
    "user@example.com wrote at 12:30",
]


@pytest_asyncio.fixture(loop_scope="session")
async def sanitised(conn: Connection) -> dict[str, str]:
    texts = [*WITH_A_SECRET, *ORDINARY]
    rows = await conn.fetch("select t, holdfast.sanitise_text(t) as s from unnest($1::text[]) as t", texts)
    return {row["t"]: row["s"] for row in rows}


async def test_known_shapes_of_secrets_are_taken_out(sanitised: dict[str, str]) -> None:
    assert len(WITH_A_SECRET) >= 80
    assert {text: sanitised[text] for text in WITH_A_SECRET if leaks(sanitised[text])} == {}


async def test_a_secret_leaves_a_mark(sanitised: dict[str, str]) -> None:
    assert all("[redacted]" in sanitised[text] for text in WITH_A_SECRET)


async def test_ordinary_text_stays_as_it_is(sanitised: dict[str, str]) -> None:
    assert {text: sanitised[text] for text in ORDINARY} == {text: text for text in ORDINARY}


async def test_hardly_a_line_of_a_log_is_touched(conn: Connection) -> None:
    lines = [*ordinary_lines(LINES, seed=42)]
    rows = await conn.fetch("select t, holdfast.sanitise_text(t) as s from unnest($1::text[]) as t", lines)
    touched = [(row["t"], row["s"]) for row in rows if row["t"] != row["s"]]
    assert len(rows) == LINES
    assert len(touched) <= LINES / 100, touched[:20]


async def test_a_secret_in_the_midst_of_text_does_not_take_the_rest_with_it(conn: Connection) -> None:
    text = f"login with password={CANARY} failed at step 4"
    clean = await conn.fetchval("select holdfast.sanitise_text($1)", text)
    assert clean == "login with password=[redacted] failed at step 4"


async def test_what_is_sanitised_stays_so(conn: Connection, sanitised: dict[str, str]) -> None:
    rows = await conn.fetch(
        "select t, holdfast.sanitise_text(t) as s from unnest($1::text[]) as t", [*sanitised.values()]
    )
    assert {row["t"]: row["s"] for row in rows if row["t"] != row["s"]} == {}


async def test_text_is_bounded(conn: Connection) -> None:
    clean = await conn.fetchval("select holdfast.sanitise_text(repeat('x y ', 1000000))")
    assert len(clean) == 8192
    assert await conn.fetchval("select holdfast.sanitise_text(null)") is None


@pytest.mark.parametrize("letter", ["é", "€", "🙂", "a🙂é"])
async def test_text_is_bounded_in_bytes(conn: Connection, letter: str) -> None:
    clean = await conn.fetchval("select holdfast.sanitise_text(repeat($1, 20000))", letter)
    assert 8192 - 4 < len(clean.encode()) <= 8192


async def test_a_secret_at_the_cut_does_not_slip_through(conn: Connection) -> None:
    for pad in range(8160, 8200, 3):
        text = " " * pad + f"password={CANARY}"
        assert "c4n4ry" not in await conn.fetchval("select holdfast.sanitise_text($1)", text)
