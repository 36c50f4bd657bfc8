"""No condition that was accepted makes an enqueue fail, whatever the payload holds."""

import json
import random
from typing import Any

import asyncpg

from holdfast.db.connect import Connection
from tests.sql.rules.scene import a_rule, stored

SEED = 7
CONDITIONS = 300
# Each raises an error in spite of silent, or returns what is no boolean.
NOT_HELD = [
    '$.payload.text.datetime("HH24xMI") == 1',
    '$.payload.text.datetime("") == 1',
    "$.payload.text.double() > 1",
    "$.payload.zero / $.payload.zero == 1",
    "1 / $.payload.zero > 0",
    "$.payload.list.keyvalue() == 1",
    "strict $.payload.absent.deeper == 1",
    "$.payload.text",
    "$.payload",
    "$.payload.list[*]",
    "$.payload.list[last + 99999999999] == 1",
    "$.payload.list[1 to $.payload.text] == 1",
    '$.payload.text.datetime() < $.now.datetime("YYYY-MM-DD")',
    "- $.payload.text == 1",
]
PAYLOAD = {
    "text": "2026-01-01",
    "zero": 0,
    "list": [1, None, "x", {"deep": [True]}],
    "big": 1e300,
    "none": None,
    "object": {"a": {"b": 1}},
}
LEAVES = [
    "$.payload.text",
    "$.payload.zero",
    "$.payload.list[*]",
    "$.payload.list[last]",
    "$.payload.big",
    "$.payload.object.a.b",
    "$.payload.none",
    "$.payload.absent",
    "$.*",
    "$.now.datetime()",
    '$.payload.text.datetime("YYYY-MM-DD")',
    '$.payload.text.datetime("TZHxSSSSS")',
    "$.payload.list.size()",
    "$.payload.text.type()",
    "$.payload.big.ceiling()",
    "$.payload.list.keyvalue()",
    "1",
    '"x"',
    "null",
    "true",
    "1e300",
]
# Of each fact, and none that looks at all of them as one object or raises an error.
FACTS = [
    *(leaf for leaf in LEAVES if leaf.startswith("$.payload") and "(" not in leaf),
    "$.payload.list.size()",
    "$.payload.object",
    "$.labels.region",
    "$.labels.*",
    "$.task",
    "$.queue",
    "$.origin",
    "$.size",
    "$.hour",
    "$.weekday",
    "1",
    '"eu"',
    '"import"',
]


async def test_an_error_or_no_boolean_counts_as_not_matched(conn: Connection) -> None:
    for condition in NOT_HELD:
        await a_rule(conn, condition, condition=condition, points=1)
    await a_rule(conn, "sound", condition="$.payload.zero == 0", points=1)
    assert (await stored(conn, PAYLOAD))[2] == ["sound"]


async def test_no_random_condition_makes_an_enqueue_fail(conn: Connection) -> None:
    rng = random.Random(SEED)
    taken = 0
    for number in range(CONDITIONS):
        condition = a_condition(rng, 3)
        if not await is_taken(conn, str(number), condition):
            continue
        taken += 1
        if taken % 50 == 0:
            await stored(conn, PAYLOAD)
            await conn.execute("delete from holdfast.rules")
    await stored(conn, PAYLOAD)
    assert taken > CONDITIONS // 2


async def test_conditions_hold_over_the_payload_and_variables_as_over_all_facts(conn: Connection) -> None:
    """An enqueue evaluates them in the first way, test_rules in the second."""
    rng = random.Random(SEED)
    options: dict[str, Any] = {"labels": {"region": "eu", "list": [1]}, "origin": "import"}
    held = 0
    for _ in range(CONDITIONS // 50):
        for number in range(50):
            await is_taken(conn, f"{number:02}", a_condition(rng, 2, FACTS))
        tested = json.loads(
            await conn.fetchval(
                "select holdfast.test_rules('capture', $1, $2)", json.dumps(PAYLOAD), json.dumps(options)
            )
        )
        matched = [rule["name"] for rule in tested["rules"] if rule["matched"]]
        assert ((await stored(conn, PAYLOAD, **options))[2] or []) == matched
        held += len(matched)
        assert {"payload", "shared", "size"} == {
            row["reads"] for row in await conn.fetch("select distinct reads from holdfast.rules")
        }
        await conn.execute("delete from holdfast.rules")
    assert held > CONDITIONS // 10


async def is_taken(conn: Connection, name: str, condition: str) -> bool:
    """Whether the condition is accepted; an error other than a refusal is raised."""
    try:
        async with conn.transaction():
            await a_rule(conn, name, condition=condition, points=1)
    except asyncpg.PostgresError as exc:
        if exc.sqlstate != "HF002":
            raise
        return False
    return True


def a_condition(rng: random.Random, depth: int, leaves: list[str] = LEAVES) -> str:
    def value(left: int) -> str:
        if left == 0 or rng.random() < 0.4:
            return rng.choice(leaves)
        return f"({value(left - 1)} {rng.choice('+-*/%')} {value(left - 1)})"

    def predicate(left: int) -> str:
        forms: list[Any] = [
            lambda: f"{value(left)} {rng.choice(['==', '<', '>=', '!='])} {value(left)}",
            lambda: f"exists ({value(left)} ? (@ > {rng.randint(-9, 9)}))",
            lambda: f'{value(left)} starts with "x"',
            lambda: value(left),
        ]
        if left > 0:
            forms += [
                lambda: f"(({predicate(left - 1)}) && ({predicate(left - 1)}))",
                lambda: f"!({predicate(left - 1)})",
                lambda: f"(({predicate(left - 1)}) is unknown)",
            ]
        return str(rng.choice(forms)())

    return predicate(depth)
