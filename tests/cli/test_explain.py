"""`holdfast explain`."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, cancelled_job, ready_job, scheduled_job
from tests.cli.command import holdfast
from tests.cli.scene import given


def test_a_job_that_nothing_holds_may_run_now(database_url: str) -> None:
    async def make(conn: Connection) -> UUID:
        await a_worker(conn)
        return await ready_job(conn)

    job = str(given(database_url, make))
    assert holdfast("explain", job, url=database_url).out == "may run now\n"
    expected = {"job": job, "may_run": True, "blockers": []}
    assert holdfast("explain", job, "--json", url=database_url).document == expected


def test_all_blockers_are_named_with_the_time_where_it_is_known(database_url: str) -> None:
    job = str(given(database_url, scheduled_job))
    holdfast("queues", "pause", "default", "--reason", "the model is down", url=database_url)
    answer = holdfast("explain", job, "--json", url=database_url)
    assert answer.code == 0
    blockers = answer.document["blockers"]
    assert [one["blocker"] for one in blockers] == ["scheduled", "paused", "no_worker", "unknown_task"]
    assert [one["until"] is None for one in blockers] == [False, True, True, True]
    assert answer.document["may_run"] is False
    text = holdfast("explain", job, url=database_url).out
    assert "the model is down" in text
    assert "in 60 min" in text or "in 59 min" in text
    assert "may run now" not in text


def test_an_ended_job_is_explained_and_an_unknown_one_is_not_found(database_url: str) -> None:
    job = str(given(database_url, cancelled_job))
    ended = holdfast("explain", job, "--json", url=database_url)
    assert [one["blocker"] for one in ended.document["blockers"]] == ["ended"]
    assert holdfast("explain", str(UUID(int=7)), url=database_url).code == 5
