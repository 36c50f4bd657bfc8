"""Rules are checked when they are added, changed under one lock, and each change is in the audit trail."""

import json

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.rules.scene import a_rule, a_set, stored

REFUSED = [
    ("$.payload.size = 5", "at character 16"),
    ("$.payload.size ==", "at character 18"),
    ("", "1 to 1024 bytes (got 0)"),
    (f'$.a == "{"x" * 1020}"', "1 to 1024 bytes (got 1028)"),
    ('$.payload.a like_regex "^a*$"', "must not use like_regex (at character 13)"),
    ('"like_regex" == $.a && $.b like_regex "x"', "must not use like_regex (at character 28)"),
    ("$.payload.** == 5", "must not use ** (at character 11)"),
    ('$.payload."**" == 1 && exists ($.**{2} ? (@ > 1))', "must not use ** (at character 34)"),
    ("/* ** */ $.**", "must not use ** (at character 12)"),
    ("$.a == $limit", "must not use variables (at character 8)"),
    ('$.a == $"limit"', "must not use variables"),
]
TAKEN = ['$.payload."**" == "like_regex"', "$.a * 2 * $.b == 6", "$.* == 1", '"$x" == $.a', "$ . a == 1"]


@pytest.mark.parametrize(("condition", "words"), REFUSED)
async def test_a_condition_that_cannot_be_evaluated_safely_is_refused(
    conn: Connection, condition: str, words: str
) -> None:
    async with refusal(conn, "HF002", words):
        await a_rule(conn, "x", condition=condition, points=1)


@pytest.mark.parametrize("condition", TAKEN)
async def test_the_refused_words_are_taken_inside_strings_and_names(conn: Connection, condition: str) -> None:
    await a_rule(conn, "x", condition=condition, points=1)
