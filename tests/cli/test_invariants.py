"""`holdfast doctor --invariants`."""

from holdfast.db.connect import Connection
from holdfast.db.invariants import MOST
from tests.builders import ready_job
from tests.cli.command import holdfast
from tests.cli.scene import given

VIOLATION_KEYS = {"name", "job", "detail"}


async def a_contradiction(conn: Connection) -> str:
    job = await ready_job(conn)
    await conn.execute("update holdfast.jobs set losses = 9 where id = $1", job)
    return str(job)


def test_a_sound_database_passes(database_url: str) -> None:
    done = holdfast("doctor", "--invariants", url=database_url)
    assert (done.code, done.lines[0][:27]) == (0, "No invariant is violated am")
    assert holdfast("doctor", "--invariants", "--json", url=database_url).document == {
        "ok": True,
        "violations": [],
    }


def test_a_violation_is_told_and_makes_it_fail(database_url: str) -> None:
    job = given(database_url, a_contradiction)
    done = holdfast("doctor", "--invariants", "--json", url=database_url)
    assert (done.code, done.document["ok"]) == (1, False)
    assert {(one["name"], one["job"]) for one in done.document["violations"]} == {
        ("too_many_losses", job),
        ("unexplained_attempt", job),
        ("unexplained_count", job),
    }
    assert set(done.document["violations"][0]) == VIOLATION_KEYS
    assert job in holdfast("doctor", "--invariants", url=database_url).out


def test_a_viewer_may_look(database_url: str) -> None:
    assert holdfast("doctor", "--invariants", url=f"{database_url}&role=holdfast_viewer").code == 0


def test_how_much_it_looks_at_has_an_upper_bound(database_url: str) -> None:
    done = holdfast("doctor", "--invariants", "--newest", str(MOST + 1), url=database_url)
    assert done.code == 2
    assert str(MOST) in done.err
