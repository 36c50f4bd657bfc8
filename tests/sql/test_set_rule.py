"""Rules are checked when they are added, and each change of them is one event of the audit trail."""

import json
from typing import Any

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.rules.scene import a_rule, a_set
from tests.sql.test_set_queue import trail

SET = "select holdfast.set_rule('task', 'capture', $1, $2)"
REFUSED = [
    ("$.payload.size = 5", "at character 16"),
    ("$.payload.size ==", "at character 18"),
    ("", "1 to 1024 bytes (got 0)"),
    (f'$.a == "{"x" * 1020}"', "1 to 1024 bytes (got 1029)"),
    ('$.payload.a like_regex "^a*$"', "must not use like_regex (at character 13)"),
    ('"like_regex" == $.a && $.b like_regex "x"', "must not use like_regex (at character 28)"),
    ('$.a LIKE_REGEX "x"', "must not use like_regex (at character 5)"),
    ('$.like_regex Like_Regex "x"', "must not use like_regex (at character 14)"),
    ("$.payload.** == 5", "must not use ** (at character 11)"),
    ('$.payload."**" == 1 && exists ($.**{2} ? (@ > 1))', "must not use ** (at character 34)"),
    ("/* ** */ $.** == 1", "must not use ** (at character 12)"),
    ("$.a == $limit", "must not use variables (at character 8)"),
    ('$.a == $"limit"', "must not use variables (at character 8)"),
    ('$"limit"', "must not use variables (at character 1)"),
    ('$ starts with "x" && $.a == $limit', "must not use variables (at character 29)"),
]
TAKEN = ['$.payload."**" == "like_regex"', "$.a * 2 * $.b == 6", "$.* == 1", '"$x" == $.a', "$ . a == 1"]
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("x", {"condition": "exists ($)"}, "is out of range: a rule needs points or a queue."),
    ("x", {"condition": "exists ($)", "points": 101}, "points must be -100 to 100"),
    ("x", {"condition": "exists ($)", "points": "many"}, 'is out of range: "many" is not a valid value.'),
    ("x", {"condition": "exists ($)", "queue": ""}, "queue must have 1 to 200 characters"),
    ("", {"condition": "exists ($)", "points": 1}, "the name must have 1 to 200 characters"),
    ("x", {"condition": "exists ($)", "points": 1, "position": None}, "position must have a value"),
    ("x", {"points": 1}, "1 to 1024 bytes (got 0)"),
    ("x", {"when": "exists ($)"}, "A rule has no setting when."),
]


@pytest.mark.parametrize(("condition", "words"), REFUSED)
async def test_a_condition_that_cannot_be_evaluated_safely_is_refused(
    conn: Connection, condition: str, words: str
) -> None:
    error = await refusal(conn, SET, "x", json.dumps({"condition": condition, "points": 1}))
    assert error.sqlstate == "HF002"
    assert words in str(error)
    assert isinstance(error, asyncpg.PostgresError)
    assert error.hint


@pytest.mark.parametrize("condition", TAKEN)
async def test_the_refused_words_are_taken_inside_strings_and_names(conn: Connection, condition: str) -> None:
    await a_rule(conn, "x", condition=condition, points=1)


@pytest.mark.parametrize(("name", "policy", "words"), WRONG)
async def test_a_rule_without_effect_or_out_of_range_is_refused(
    conn: Connection, name: str, policy: dict[str, Any], words: str
) -> None:
    error = await refusal(conn, SET, name, json.dumps(policy))
    assert (error.sqlstate, words in str(error)) == ("HF002", True), error


async def test_rules_belong_to_a_task_or_a_queue(conn: Connection) -> None:
    error = await refusal(conn, "select holdfast.set_rule('run', 'x', 'x', '{}')")
    assert (error.sqlstate, "Rules belong to a task or a queue" in str(error)) == ("HF002", True)
    error = await refusal(conn, """select holdfast.set_rule_set('task', 'x', '{"base": 101}')""")
    assert (error.sqlstate, "base must be 0 to 100" in str(error)) == ("HF002", True)


async def test_at_most_a_hundred_rules_of_a_set_are_enabled(conn: Connection) -> None:
    for number in range(100):
        await a_rule(conn, str(number), condition="exists ($)", points=0)
    policy: dict[str, Any] = {"condition": "exists ($)", "points": 0}
    error = await refusal(conn, SET, "one more", json.dumps(policy))
    assert "would have 101 enabled rules" in str(error)
    await a_rule(conn, "one more", **policy, enabled=False)
    await a_rule(conn, "0", enabled=False)
    await a_rule(conn, "one more", enabled=True)


async def test_each_change_is_one_event_with_before_and_after(conn: Connection) -> None:
    await a_rule(conn, "large", condition="exists ($)", points=7)
    assert await a_rule(conn, "large", points=9) == {"points": (7, 9)}
    assert await a_rule(conn, "large", points=9) == {}
    await a_set(conn, base=0)
    removed = "select holdfast.remove_rule('task', 'capture', $1, 'gone', 'Ada')"
    assert await conn.fetchval(removed, "large") is True
    assert await conn.fetchval(removed, "large") is False
    events = await trail(conn)
    assert [(event[0], event[1], event[2]) for event in events] == [
        ("set_rule", "Ada", "why"),
        ("set_rule", "Ada", "why"),
        ("set_rule_set", None, None),
        ("remove_rule", "Ada", "gone"),
    ]
    assert events[1][4] == {
        "rule": "large of task capture",
        "before": {"points": 7},
        "after": {"points": 9},
    }
    assert events[3][4]["after"]["condition"] is None


@pytest.mark.parametrize("of", ["task x", "queue x"])
async def test_the_row_that_an_enqueue_reads_says_whether_there_are_enabled_rules(
    conn: Connection, of: str
) -> None:
    kind = of.split(" ", maxsplit=1)[0]
    flag = f"select has_rules from holdfast.{kind}s where name = 'x'"
    await a_set(conn, of, base=3)
    assert await conn.fetchval(flag) is False
    await a_rule(conn, "one", of, condition="exists ($)", points=1)
    await a_rule(conn, "two", of, condition="exists ($)", points=1)
    await a_rule(conn, "one", of, enabled=False)
    assert await conn.fetchval(flag) is True
    await conn.execute(f"select holdfast.remove_rule('{kind}', 'x', 'two')")
    assert await conn.fetchval(flag) is False


async def test_the_queue_that_a_rule_names_is_made_with_the_rule(conn: Connection) -> None:
    await a_rule(conn, "route", condition="exists ($)", queue="bulk")
    assert await conn.fetchval("select exists (select from holdfast.queues where name = 'bulk')")
