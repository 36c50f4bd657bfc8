"""`holdfast pipelines`, `holdfast jobs signal` and `holdfast runs extend`."""

from holdfast.db.connect import Connection
from tests.builders import a_queue, an_open_run, claim_one, fail, settle
from tests.cli.command import holdfast
from tests.cli.scene import given
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job, job_that_waits

PIPELINE_KEYS = {"name", "version", "is_newest", "stages", "declared_at"}
STAGE_KEYS = {
    *("stage", "place", "task", "queue", "endpoint", "group", "timeout", "max_visits", "on_reject"),
    *("retry", "max_concurrent", "jobs"),
}


def test_pipelines_are_listed_with_their_versions(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await a_pipeline(conn)
        await a_pipeline(conn, stages=["a", "c"])

    given(database_url, make)
    newest, oldest = holdfast("pipelines", "list", "--json", url=database_url).document["pipelines"]
    assert newest.keys() == PIPELINE_KEYS
    assert (newest["version"], newest["stages"], newest["is_newest"]) == (2, ["a", "c"], True)
    assert (oldest["version"], oldest["stages"], oldest["is_newest"]) == (1, ["a", "b", "c"], False)
    assert "a → b → c" in holdfast("pipelines", "list", url=database_url, COLUMNS="100").out


def test_a_pipeline_is_shown_with_the_jobs_of_its_stages(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await a_pipeline(conn)
        await a_queue(conn, "line.b", endpoint="model", retry=[60, 300, 900], max_concurrent=2)
        await a_pipeline(conn)
        await entered_job(conn)

    given(database_url, make)
    shown = holdfast("pipelines", "show", "line", "--json", url=database_url).document
    first, second, _ = shown["stages"]
    assert first.keys() == STAGE_KEYS
    counted = {"waiting": 0, "scheduled": 0, "ready": 1, "running": 0, "more_than": []}
    sampled = ("at", "waiting", "scheduled", "ready", "running")
    assert first["jobs"] == {**counted, **{f"sampled_{name}": None for name in sampled}}
    assert (second["endpoint"], second["retry"], second["max_concurrent"]) == (
        "model",
        {"delays": [60, 300, 900]},
        2,
    )
    assert "line.b" in holdfast("pipelines", "show", "line", url=database_url, COLUMNS="120").out


def test_jobs_are_moved_between_versions(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await a_pipeline(conn)
        await entered_job(conn)
        await entered_job(conn, stage="b")
        await a_pipeline(conn, stages=["a", "c"])

    given(database_url, make)
    moved = holdfast("pipelines", "move", "line", "--from", "1", "--to", "2", url=database_url)
    assert moved.out == "moved: 1 job of line from version 1 to 2\n"
    assert "1 job could not be moved" in moved.err
    again = holdfast("pipelines", "move", "line", "--from", "1", "--to", "2", "--json", url=database_url)
    assert again.document == {"name": "line", "from": 1, "to": 2, "moved": 0, "stay": 1}


def test_what_is_not_there_is_not_found(database_url: str) -> None:
    assert holdfast("pipelines", "show", "none", url=database_url).code == 5
    assert holdfast("pipelines", "move", "none", "--from", "1", "--to", "2", url=database_url).code == 5
    assert holdfast("pipelines", "move", "none", "--from", "1", "--to", "1", url=database_url).code == 2


def test_a_job_is_told_what_it_waits_for(database_url: str) -> None:
    job = given(database_url, job_that_waits)
    told = holdfast("jobs", "signal", str(job.id), "approval", "--data", '{"ok": true}', url=database_url)
    assert told.out == f"{job.id} resumed\n"
    again = holdfast("jobs", "signal", str(job.id), "approval", "--json", url=database_url)
    assert again.document == {"id": str(job.id), "name": "approval", "result": "duplicate"}
    holdfast("jobs", "cancel", str(job.id), "--yes", url=database_url)
    assert holdfast("jobs", "signal", str(job.id), "approval", url=database_url).code == 6


def test_the_story_of_a_job_shows_its_stages_and_what_they_left(database_url: str) -> None:
    async def make(conn: Connection) -> str:
        await a_pipeline(conn)
        job = await entered_job(conn)
        held = await claim_one(conn, await a_stage_worker(conn))
        await settle(conn, held, "advance", None, output={"score": 7})
        return str(job)

    job = given(database_url, make)
    shown = holdfast("jobs", "show", job, url=database_url, COLUMNS="120")
    assert 'a: {"score": 7}' in shown.out


def test_a_job_is_replayed_from_a_stage(database_url: str) -> None:
    async def make(conn: Connection) -> str:
        await a_pipeline(conn)
        job, worker = await entered_job(conn), await a_stage_worker(conn)
        await settle(conn, await claim_one(conn, worker), "advance")
        await fail(conn, await claim_one(conn, worker), "permanent")
        return str(job)

    job = given(database_url, make)
    refused = holdfast("jobs", "replay", job, "--stage", "z", url=database_url)
    assert refused.code == 2
    assert "has no stage z" in refused.err
    assert "The stages of this version are a, b, c." in refused.err
    replayed = holdfast("jobs", "replay", job, "--stage", "a", "--reason", "a was wrong", url=database_url)
    assert (replayed.code, replayed.out) == (0, f"{job} replayed\n")
    shown = holdfast("jobs", "show", job, url=database_url, COLUMNS="120").out
    assert "from stage a: a was wrong" in shown


def test_a_run_is_given_more_time(database_url: str) -> None:
    async def make(conn: Connection) -> str:
        return str(await an_open_run(conn, max_time=60))

    run = given(database_url, make)
    assert holdfast("runs", "extend", run, "--by", "2h", url=database_url).out == f"{run} 0 jobs continue\n"
