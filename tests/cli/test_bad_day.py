"""A bad release: a third of the jobs die in three ways and one sticks. Ten commands have to be enough."""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from asyncpg import Record

from holdfast.cli.frame.common_options import actor
from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, completed_job, dead_job, ready_jobs
from tests.cli.bad_release import bad_release
from tests.cli.command import Result, environment, eventually, holdfast
from tests.cli.scene import given, rows, trail
from tests.patience import PATIENCE

GOOD_RELEASE = """
from holdfast import Holdfast
app = Holdfast(version="1.9")

@app.task(queue="orders")
async def charge() -> str:
    return "charged"
"""
OTHERS = """
select v.id, v.state, v.generation, v.attempt, v.priority, d.status, d.assignee
from holdfast.job_view as v
left join holdfast.dead_letter_view as d on d.job_id = v.id
where v.queue <> 'orders'
order by v.id
"""


@dataclass(slots=True)
class Shell:
    """Counts what the operator types."""

    url: str
    typed: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, *words: str) -> Result:
        self.typed.append(words)
        answer = holdfast(*words, url=self.url)
        assert answer.code == 0, (words, answer.err)
        return answer


async def bystanders(conn: Connection) -> None:
    """Jobs of another queue, in every state that a careless command could touch."""
    await completed_job(conn, queue="mail")
    await dead_job(conn, "'currency'", queue="mail")
    letters = "array(select job_id from holdfast.dead_letters)"
    await conn.execute(f"select holdfast.triage_dead_letters({letters}, 'investigating')")
    await ready_jobs(conn, 3, queue="mail")
    worker = await a_worker(conn, ["mail"], timedelta(hours=1))
    assert len(await claim(conn, worker)) == 1


@contextmanager
def the_good_release(url: str, directory: Path) -> Iterator[None]:
    (directory / "shop.py").write_text(GOOD_RELEASE)
    command = [sys.executable, "-m", "holdfast", "worker", "-A", "shop:app"]
    with subprocess.Popen(command, env=environment(url), cwd=directory, stderr=subprocess.DEVNULL) as worker:
        try:
            yield
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(PATIENCE)


def of_orders(url: str) -> Counter[str]:
    query = "select state, count(*) from holdfast.job_view where queue = 'orders' group by state"
    return Counter({row["state"]: row["count"] for row in rows(url, query)})


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_bad_release_is_mended_with_ten_commands(database_url: str, tmp_path: Path, count: int) -> None:
    given(database_url, bystanders)
    stuck = str(given(database_url, lambda conn: bad_release(conn, count)))
    others: list[Record] = rows(database_url, OTHERS)
    shell = Shell(database_url)
    with the_good_release(database_url, tmp_path):
        # What is wrong?
        report = shell("stats", "--json").document
        (orders,) = [one for one in report["ended"] if one["name"] == "orders"]
        assert 0.69 < orders["success_rate"] < 0.71
        groups = shell("dead", "groups", "--queue", "orders", "--json").document["groups"]
        kinds = {group["error_type"]: group for group in groups}
        assert kinds.keys() == {"KeyError", "TimeoutError", "ValueError"}
        assert {round(group["letters"] / count, 2) for group in groups} == {0.1}
        live = shell("jobs", "list", "--state", "running", "--queue", "orders", "--json").document["jobs"]
        assert [job["id"] for job in live] == [stuck]
        # The stuck one goes to the good release; test orders need no replay; the rest does.
        shell("jobs", "reclaim", stuck, "--reason", "stuck in 2.0")
        mark = kinds["ValueError"]["fingerprint"]
        shell("dead", "note", "only test orders of the shop", "--fingerprint", mark, "--yes")
        shell("dead", "resolve", "--fingerprint", mark, "--reason", "test orders", "--yes")
        back = ("dead", "replay", "--queue", "orders", "--canary", "--reason", "back on 1.9")
        replayed = shell(*back, "--yes", "--json").document["replayed"]
        eventually(lambda: of_orders(database_url)["completed"] == count - kinds["ValueError"]["letters"])
    after = shell("dead", "list", "--queue", "orders", "--status", "open", "--json").document
    assert after == {"letters": []}
    assert len(shell.typed) <= 10
    resolved = kinds["ValueError"]["letters"]
    assert replayed == kinds["KeyError"]["letters"] + kinds["TimeoutError"]["letters"]
    assert of_orders(database_url) == {"completed": count - resolved, "dead": resolved}
    assert rows(database_url, OTHERS) == others, "nobody touched what was none of his business"
    who_and_why(database_url, stuck, replayed, resolved)


def who_and_why(url: str, stuck: str, replayed: int, resolved: int) -> None:
    """The audit trail tells what was done to each, by whom, and for what reason."""
    me = actor()
    assert trail(url, "reclaim") == {(stuck, me, "stuck in 2.0")}
    operator = {
        cause: Counter((who, why) for _, who, why in trail(url, cause)) for cause in ("replay", "triage")
    }
    assert operator["replay"] == {(me, "back on 1.9"): replayed}
    assert operator["triage"][me, "test orders"] == resolved
    query = "select author, note, count(*) from holdfast.note_view group by author, note"
    assert [tuple(row) for row in rows(url, query)] == [(me, "only test orders of the shop", resolved)]
