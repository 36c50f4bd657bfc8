"""The flags that hold for a worker: those of its group, else those for all; also with each renewal."""

import json
from typing import Any

from holdfast.db.connect import Connection
from tests.builders import a_worker, renew


async def flags(conn: Connection, group: str | None = None) -> Any:
    return json.loads(await conn.fetchval("select holdfast.worker_flags($1)", group))


async def test_the_flag_of_a_group_wins_over_the_one_for_all(conn: Connection) -> None:
    assert await flags(conn, "gpu") == {}
    await conn.execute("select holdfast.set_flag('slots', '20')")
    await conn.execute("select holdfast.set_flag('slots', '2', of_group => 'gpu')")
    await conn.execute("select holdfast.set_flag('claim_size', 'auto')")
    await conn.execute("select holdfast.set_flag('rescue', 'off')")
    for_all = {"value": "auto", "group": None}
    assert await flags(conn) == {"slots": {"value": "20", "group": None}, "claim_size": for_all}
    assert await flags(conn, "other") == await flags(conn)
    assert await flags(conn, "gpu") == {"slots": {"value": "2", "group": "gpu"}, "claim_size": for_all}
    await conn.execute("select holdfast.set_flag('slots', null)")
    assert await flags(conn) == {"claim_size": for_all}


async def test_a_renewal_returns_them_and_keeps_what_the_worker_says_it_follows(conn: Connection) -> None:
    worker = await a_worker(conn, group="gpu", slots=10, slots_from="default", claim_size_from="default")
    await conn.execute("select holdfast.set_flag('slots', '2', of_group => 'gpu')")
    assert json.loads((await renew(conn, worker))["flags"]) == await flags(conn, "gpu")
    seen = "select slots, slots_from, claim_size, claim_size_from from holdfast.worker_view"
    assert tuple((await conn.fetch(seen))[0]) == (10, "default", None, "default")
    await renew(conn, worker, slots=2, slots_from="group", claim_size=5, claim_size_from="flag")
    await renew(conn, worker)
    assert tuple((await conn.fetch(seen))[0]) == (2, "group", 5, "flag")
    await renew(conn, worker, claim_size=None, claim_size_from="default")
    assert tuple((await conn.fetch(seen))[0]) == (2, "group", None, "default")
