"""What a worker may know of the endpoints that its jobs call."""

from datetime import UTC, datetime

from holdfast.db.connect import Connection

STATES = 'select name, circuit, "limit", open_until from holdfast.endpoint_states($1) order by name'


async def test_circuit_and_limit_of_each_known_endpoint(conn: Connection) -> None:
    for name in ("llama", "qwen", "other"):
        await conn.execute("select holdfast.declare_endpoint($1, $2)", name, '{"max": 3, "mode": "fixed"}')
    await conn.execute("select holdfast.open_endpoint('qwen', 'maintenance', 'ada')")
    found = [tuple(row) for row in await conn.fetch(STATES, ["qwen", "llama", "unknown"])]
    assert found == [("llama", "closed", 3, None), ("qwen", "held_open", 3, None)]


async def test_an_open_circuit_says_until_when(conn: Connection) -> None:
    until = datetime(2100, 1, 1, tzinfo=UTC)
    await conn.execute("select holdfast.declare_endpoint('llama', '{}')")
    await conn.execute("update holdfast.endpoints set circuit = 'open', open_until = $1", until.timestamp())
    (row,) = await conn.fetch(STATES, ["llama"])
    assert (row["circuit"], row["open_until"]) == ("open", until)
