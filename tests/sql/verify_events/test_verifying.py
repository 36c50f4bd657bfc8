"""What was done to the trail past the grants, as a superuser can, is found."""

import pytest

from holdfast.db.connect import Connection
from tests.sql.audit_trail import DAY, act, seal, sealed_days, seals, statuses, verify
from tests.sql.conftest import Clock

INTACT = ["intact", "intact", "intact", "unsealed"]
# Each is done to the second of three sealed days; $1 and $2 are two of its events.
ROWS = {
    "changed reason": "update holdfast.events set reason = 'nothing' where id = $1 and $2 > 0",
    "changed time": "update holdfast.events set at = at + interval '1 microsecond' where id = $1 and $2 > 0",
    "changed actor": "update holdfast.events set actor = 'Eve' where id = $1 and $2 > 0",
    "changed login": "update holdfast.events set login = 'eve' where id = $1 and $2 > 0",
    "changed detail": """update holdfast.events set detail = '{"a": 1}' where id = $1 and $2 > 0""",
    "made ordinary": """update holdfast.events set actor = null, job_id = gen_random_uuid()
      where id = $1 and $2 > 0""",
    "deleted": "delete from holdfast.events where id = $1 and $2 > 0",
    "reordered": """update holdfast.events as e set reason = o.reason, at = o.at
      from holdfast.events as o
      where e.id in ($1, $2) and o.id in ($1, $2) and e.id <> o.id""",
}


@pytest.mark.parametrize("change", ROWS)
async def test_a_changed_deleted_or_reordered_event_is_found(
    conn: Connection, clock: Clock, change: str
) -> None:
    days = await sealed_days(conn, clock)
    assert await statuses(conn) == INTACT
    await conn.execute(ROWS[change], days[1][0], days[1][1])
    found = [verdict.problem for verdict in (await verify(conn)).values()]
    assert await statuses(conn) == ["intact", "broken", "intact", "unsealed"]
    assert found[1] in ("events were changed or reordered", "3 events were sealed, 2 are there")


async def test_swapped_numbers_are_found(conn: Connection, clock: Clock) -> None:
    days = await sealed_days(conn, clock)
    first, second, _ = days[1]
    await conn.execute("alter table holdfast.events alter id drop identity")
    for old, new in ((first, -1), (second, first), (-1, second)):
        await conn.execute("update holdfast.events set id = $2 where id = $1", old, new)
    assert (await statuses(conn))[1] == "broken"


async def test_an_event_inserted_into_a_sealed_day_is_found(conn: Connection, clock: Clock) -> None:
    await act(conn)
    await conn.execute("select nextval('holdfast.events_id_seq')")
    free = await act(conn) - 1
    await clock.advance(DAY)
    assert await seal(conn) == (1, 2)
    await conn.execute(
        "insert into holdfast.events (id, at, cause, actor) overriding system value"
        " values ($1, holdfast.now(), 'pause', 'Eve')",
        free,
    )
    ((verdict),) = (await verify(conn)).values()
    assert (verdict.status, verdict.problem) == ("broken", "2 events were sealed, 3 are there")


@pytest.mark.parametrize(
    "change",
    [
        "digest = repeat('a', 64)",
        "events = events + 1",
        "previous = repeat('a', 64)",
        "seal = repeat('a', 64)",
        "through_id = through_id - 1",
        "pruned_at = sealed_at",
        "pruned_at = '2099-01-01'",
    ],
)
async def test_a_changed_seal_is_found(conn: Connection, clock: Clock, change: str) -> None:
    await sealed_days(conn, clock)
    await conn.execute(
        f"update holdfast.event_seals set {change}"
        " where day = (select max(day) - 1 from holdfast.event_seals)"
    )
    assert (await statuses(conn))[1] == "broken"


async def test_a_day_that_was_sealed_again_does_not_fit_the_seal_after_it(
    conn: Connection, clock: Clock
) -> None:
    """Whoever changes an event and computes the seal of its day has to write all later seals anew."""
    days = await sealed_days(conn, clock)
    await conn.execute("update holdfast.events set reason = 'nothing' where id = $1", days[1][0])
    await conn.execute(
        "update holdfast.event_seals as s set digest = encode(d.digest, 'hex')"
        " from holdfast.event_seals as o cross join lateral"
        " holdfast.digest_events(o.after_id, o.through_id, null, '') as d where o.day = s.day"
    )
    await conn.execute("update holdfast.event_seals as s set seal = holdfast.seal_of(s)")
    assert await statuses(conn) == ["intact", "intact", "broken", "unsealed"]


@pytest.mark.parametrize("removed", ["min(day)", "min(day) + 1"])
async def test_a_removed_seal_is_found(conn: Connection, clock: Clock, removed: str) -> None:
    await sealed_days(conn, clock)
    await conn.execute(
        f"delete from holdfast.event_seals where day = (select {removed} from holdfast.event_seals)"
    )
    assert "broken" in await statuses(conn)


async def test_seals_that_were_all_written_anew_are_found_by_one_that_was_kept_elsewhere(
    conn: Connection, clock: Clock
) -> None:
    days = await sealed_days(conn, clock)
    kept = (await seals(conn))[-1]
    assert await statuses(conn, kept.upper()) == INTACT
    await conn.execute("delete from holdfast.event_seals")
    await seal(conn)
    assert await statuses(conn, kept) == INTACT, "the same events have the same seals"
    await conn.execute("delete from holdfast.event_seals")
    await conn.execute("update holdfast.events set reason = 'nothing' where id = $1", days[0][0])
    await seal(conn)
    assert await statuses(conn) == INTACT, "the chain is whole"
    assert (await verify(conn, kept))[None].problem == "no day has the expected seal"


async def test_events_that_no_seal_covers_are_reported_as_such(conn: Connection, clock: Clock) -> None:
    await act(conn)
    ((verdict),) = (await verify(conn)).values()
    assert (verdict.status, verdict.problem) == ("unsealed", None)
    await clock.advance(DAY)
    ((verdict),) = (await verify(conn)).values()
    assert (verdict.status, verdict.problem) == ("unsealed", "the day is over and not sealed yet")


async def test_only_the_days_that_are_asked_for_are_read(conn: Connection, clock: Clock) -> None:
    days = await sealed_days(conn, clock)
    await conn.execute("delete from holdfast.events where id = $1", days[0][0])
    last = await conn.fetchval("select max(day) from holdfast.seal_view")
    rows = await conn.fetch("select status from holdfast.verify_events($1, $1)", last)
    assert [row["status"] for row in rows] == ["intact"]
