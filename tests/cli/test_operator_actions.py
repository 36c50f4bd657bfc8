"""`holdfast jobs reclaim`, `complete`, `fail` and `set-priority`, and the story that they leave."""

from uuid import UUID

from holdfast.cli.frame.common_options import actor
from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, complete, ready_jobs, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given, states, trail


def test_a_rescued_job_is_ready_again_and_its_worker_is_fenced(database_url: str) -> None:
    job = given(database_url, running_job)
    answer = holdfast("jobs", "reclaim", str(job.id), "--reason", "stuck", url=database_url)
    assert answer.out == f"{job.id} reclaimed\n", answer.err
    assert states(database_url) == {str(job.id): "ready"}
    assert given(database_url, lambda conn: complete(conn, job)) is False
    assert trail(database_url, "reclaim") == {(str(job.id), actor(), "stuck")}


def test_a_worker_is_emptied_by_a_filter(database_url: str) -> None:
    async def make(conn: Connection) -> tuple[Running, Running]:
        return await running_job(conn), await running_job(conn, await a_worker(conn))

    stuck, other = given(database_url, make)
    chosen = ("jobs", "reclaim", "--worker", str(stuck.worker), "--reason", "hangs")
    assert holdfast(*chosen, url=database_url).code == 2
    dry = holdfast(*chosen, "--dry-run", url=database_url)
    assert (dry.lines, "would reclaim 1 job" in dry.err) == ([str(stuck.id)], True)
    assert holdfast(*chosen, "--yes", url=database_url).code == 0
    assert states(database_url) == {str(stuck.id): "ready", str(other.id): "running"}


def test_jobs_are_completed_by_an_operator_with_an_output(database_url: str) -> None:
    job = str(given(database_url, running_job).id)
    assert holdfast("jobs", "complete", job, "--reason", "r", "--output", "{", url=database_url).code == 2
    words = ("--reason", "done on paper", "--output", '{"pages": 3}')
    assert holdfast("jobs", "complete", job, *words, "--json", url=database_url).document == {
        "jobs": [{"id": job, "result": "completed"}]
    }
    shown = holdfast("jobs", "show", job, "--json", url=database_url).document
    assert (shown["state"], shown["output"]) == ("completed", {"pages": 3})


def test_jobs_are_given_up_at_a_pace_and_an_ended_one_is_refused(database_url: str) -> None:
    jobs = [str(job) for job in given(database_url, lambda conn: ready_jobs(conn, 5, queue="old"))]
    kept = str(given(database_url, lambda conn: ready_jobs(conn, 1))[0])
    words = ("--reason", "nobody needs them")
    paced = ("--pace", "50/s", "--yes")
    answer = holdfast("jobs", "fail", "--queue", "old", *paced, *words, url=database_url)
    assert (answer.code, "5 dead" in answer.err) == (0, True)
    assert states(database_url) == dict.fromkeys(jobs, "dead") | {kept: "ready"}
    assert holdfast("jobs", "fail", jobs[0], *words, url=database_url).code == 6
    assert holdfast("jobs", "fail", str(UUID(int=7)), *words, url=database_url).code == 5
    assert trail(database_url, "fail_as_operator") == {(job, actor(), "nobody needs them") for job in jobs}


def test_a_priority_is_set_and_a_reason_is_needed(database_url: str) -> None:
    job = str(given(database_url, lambda conn: ready_jobs(conn, 1))[0])
    assert holdfast("jobs", "set-priority", "90", job, url=database_url).code == 2
    assert holdfast("jobs", "set-priority", "90", job, "--reason", "the boss", url=database_url).code == 0
    assert holdfast("jobs", "show", job, "--json", url=database_url).document["priority"] == 90
    assert holdfast("jobs", "set-priority", "101", job, "--reason", "r", url=database_url).code == 2


def test_nothing_is_done_at_an_impossible_pace(database_url: str) -> None:
    job = given(database_url, lambda conn: ready_jobs(conn, 1))[0]
    for pace in ("0/s", "fast", "3/d"):
        refused = holdfast("jobs", "cancel", str(job), "--pace", pace, url=database_url)
        assert (refused.code, "100/s" in refused.err) == (2, True)
    assert states(database_url) == {str(job): "ready"}


def test_a_job_is_shown_as_a_story(database_url: str) -> None:
    job = str(given(database_url, running_job).id)
    holdfast("jobs", "reclaim", job, "--reason", "stuck", url=database_url)
    holdfast("jobs", "cancel", job, "--reason", "not needed", url=database_url)
    story = holdfast("jobs", "show", job, "--json", url=database_url).document["timeline"]
    assert [one["what"] for one in story if one["actor"]] == ["reclaim", "cancel"]
    whats = [one["what"] for one in story]
    assert whats[0] == "created"
    assert "cancelled" in whats[-2:]
    text = holdfast("jobs", "show", job, url=database_url, COLUMNS="80")
    lines = [line.split() for line in text.lines]
    assert any({"reclaim", actor(), "stuck"} <= {*line} for line in lines), text.out
