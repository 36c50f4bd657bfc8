"""Jobs that no rule sent where they stand."""

from holdfast.db.connect import Connection
from tests.builders import ready_job
from tests.chaos.move_plants import Plant


async def a_priority_of_no_rule(conn: Connection) -> None:
    await ready_job(conn, task="ruled", payload={"n": 9}, queue="chaos", priority=33)


async def a_job_that_no_rule_routed(conn: Connection) -> None:
    """Though the only rule held for the ten minutes before."""
    policy = '{"condition": "$.payload.n > 5", "queue": "chaos-routed", "points": 10}'
    await conn.execute("select holdfast.set_rule('task', 'ruled', 'switch', $1, '60', 'chaos')", policy)
    await conn.execute("update holdfast.events set at = at - interval '10 minutes' where cause = 'set_rule'")
    await ready_job(conn, task="ruled", payload={"n": 9}, queue="chaos", priority=50)


async def a_route_of_no_rule(conn: Connection) -> None:
    await ready_job(conn, task="ruled", payload={"n": 1}, queue="chaos-routed", priority=50)


RULE_PLANTS: list[tuple[str, Plant, str]] = [
    ("rules", a_priority_of_no_rule, "has priority 33 in chaos"),
    ("rules", a_job_that_no_rule_routed, "has priority 50 in chaos"),
    ("rules", a_route_of_no_rule, "has priority 50 in chaos-routed"),
]
