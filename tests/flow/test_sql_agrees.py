"""The rules in SQL and their model agree on every column after every event."""

import random

import pytest

from holdfast.db.connect import Connection
from tests.flow.both import MODES, PHASES, START, Both
from tests.flow.endpoint import Call

STEPS = 400


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", MODES)
async def test_sql_and_model_agree_on_every_step(conn: Connection, mode: str, seed: int) -> None:
    both = await Both.make(conn, **MODES[mode])
    await drive(both, random.Random(f"{mode} {seed}"))


async def test_a_changed_constant_is_noticed(conn: Connection) -> None:
    """Otherwise the comparison could pass without comparing."""
    source = await conn.fetchval("select pg_get_functiondef('holdfast.grow'::regproc)")
    await conn.execute(source.replace("then 0.5", "then 0.4"))
    both = await Both.make(conn, **MODES["flow"])
    with pytest.raises(AssertionError, match="limit is"):
        await drive(both, random.Random(1))


async def drive(both: Both, luck: random.Random) -> None:
    calls: list[Call] = []
    now, phase = START, "good"
    for _ in range(STEPS):
        now = round(now + luck.choice([0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 30.0]), 3)
        if luck.random() < 0.03:
            phase = luck.choice(list(PHASES))
        if not calls or luck.random() < 0.45:
            calls += await both.admit(now, [luck.choice([None, 500.0]) for _ in range(luck.randint(1, 4))])
        else:
            likely, share = PHASES[phase]
            outcome = luck.choice(
                likely if luck.random() < share else ["ok", "ok", "ok", "fail", "answered", "void"]
            )
            await both.end(calls.pop(luck.randrange(len(calls))), outcome, now, luck)
        await both.agree()
