"""Enqueuing one job: what is stored, and what is refused before anything is sent."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.model.error import InvalidInput, InvalidOption, InvalidPayload, NotFound, UniqueConflict
from holdfast.model.state import State

SOON = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def unreachable() -> Holdfast:
    """Whatever is sent fails: what is refused without it was refused before."""
    return Holdfast("postgresql://nobody@127.0.0.1:1/nowhere")


async def test_a_job_is_stored_with_its_payload_and_its_tasks_settings(app: Holdfast) -> None:
    @app.task(queue="mail", priority=70, timeout="5m")
    async def greet(name: str, times: int = 1) -> None: ...

    handle = await greet.enqueue("Ada", times=2)
    job = await handle.job()
    assert handle.created
    assert (job.task, job.queue, job.priority, job.timeout) == ("greet", "mail", 70, timedelta(minutes=5))
    assert job.payload == {"name": "Ada", "times": 2}
    assert await handle.status() is State.READY


async def test_every_option_that_a_job_shows_arrives(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    options: dict[str, Any] = {
        "queue": "other",
        "priority": 9,
        "labels": {"tenant": "a"},
        "timeout": timedelta(seconds=1.5),
        "deadline": SOON,
        "group": "gpu",
        "endpoint": "model",
        "max_failures": 7,
        "unique_key": "k",
        "order_key": "o",
        "origin": "import",
    }
    job = await (await greet.options(**options).enqueue()).job()
    assert {name: getattr(job, name) for name in options} == options


async def test_times_keys_and_retries_arrive(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    once = greet.options(unique_key="k", unique_for="2h", unique_scope="s")
    job = await (await once.options(run_at=SOON, retry=["1m", "5m"]).enqueue()).job()
    assert (job.state, job.due_at) == (State.SCHEDULED, SOON)
    (kept,) = await app.database.fetch("select retry, unique_scope from holdfast.jobs")
    assert (kept["retry"], kept["unique_scope"]) == ('{"delays": [60, 300]}', "s")
    (key,) = await app.database.fetch("select expires_at from holdfast.unique_keys")
    assert abs(key["expires_at"] - job.created_at - timedelta(hours=2)) < timedelta(seconds=5)


async def test_options_do_not_change_the_task_they_are_made_from(app: Holdfast) -> None:
    @app.task(queue="mail")
    async def greet() -> None: ...

    later = greet.options(delay="1h").options(priority=3)
    assert await (await greet.enqueue()).status() is State.READY
    job = await (await later.enqueue()).job()
    assert (job.state, job.priority, job.queue) == (State.SCHEDULED, 3, "mail")


@pytest.mark.parametrize("delay", [timedelta(minutes=5), 300, 300.0, "5m", "300s"])
async def test_a_delay_is_written_in_any_way(app: Holdfast, delay: Any) -> None:
    @app.task()
    async def greet() -> None: ...

    job = await (await greet.options(delay=delay).enqueue()).job()
    assert job.due_at is not None
    assert abs(job.due_at - job.created_at - timedelta(minutes=5)) < timedelta(seconds=1)


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"run_at": SOON.replace(tzinfo=None)}, "time zone"),
    ({"deadline": "tomorrow"}, "datetime"),
    ({"delay": "soon"}, "duration"),
    ({"delay": -1}, "duration"),
    ({"delay": 1, "run_at": SOON}, "cannot be combined"),
    ({"run_at": SOON, "stagger": (1, 1)}, "stagger"),
    ({"priority": "high"}, "priority"),
    ({"priority": True}, "priority"),
    ({"queue": ""}, "queue"),
    ({"colour": "red"}, "colour"),
    ({"labels": {"at": SOON}}, "labels"),
    ({"labels": ["a"]}, "labels"),
    ({"run": "not a run"}, "run"),
    ({"unique_for": "1h"}, "unique_key"),
    ({"retry": "no such preset"}, "retry"),
    ({"stagger": "often"}, "stagger"),
    ({"stagger": ("1s", 0)}, "stagger"),
    ({"trace": 7}, "traceparent"),
    ({"trace": {"traceparent": None}}, "traceparent"),
]


@pytest.mark.parametrize(("options", "named"), BAD_OPTIONS)
def test_an_option_that_cannot_be_is_refused_before_anything_is_sent(
    unreachable: Holdfast, options: dict[str, Any], named: str
) -> None:
    @unreachable.task()
    async def greet() -> None: ...

    with pytest.raises(InvalidOption, match=named):
        greet.options(**options)


async def test_a_bad_argument_is_refused_before_anything_is_sent(unreachable: Holdfast) -> None:
    def greet(name: str) -> None: ...

    task: Any = unreachable.task()(greet)
    with pytest.raises(InvalidPayload, match="no parameter nam"):
        await task.enqueue(nam="Ada")
    with pytest.raises(InvalidPayload, match="name is missing"):
        await task.enqueue()
    with pytest.raises(InvalidPayload, match=r"\$\.name"):
        await task.enqueue(3)
    await unreachable.close()


async def test_what_only_the_database_knows_is_refused_by_the_database(app: Holdfast) -> None:
    @app.task()
    async def greet(name: str = "") -> None: ...

    with pytest.raises(InvalidOption, match="priority 101"):
        await greet.options(priority=101).enqueue()
    with pytest.raises(InvalidOption, match="traceparent"):
        await greet.options(trace="no").enqueue()
    with pytest.raises(InvalidPayload, match="bytes"):
        await greet.enqueue("x" * 300_000)
    with pytest.raises(NotFound, match="run"):
        await greet.options(run=uuid4()).enqueue()


async def test_the_same_unique_key_gives_the_same_job(app: Holdfast) -> None:
    @app.task()
    async def greet(name: str) -> None: ...

    once = greet.options(unique_key="ada")
    first, second = await once.enqueue("Ada"), await once.enqueue("Ada")
    assert (first.created, second.created) == (True, False)
    assert first.id == second.id
    assert len(await app.jobs()) == 1


async def test_the_same_unique_key_with_another_payload_is_a_conflict(app: Holdfast) -> None:
    @app.task()
    async def greet(name: str) -> None: ...

    once = greet.options(unique_key="ada")
    await once.enqueue("Ada")
    with pytest.raises(UniqueConflict, match="ada"):
        await once.enqueue("Grace")
    assert len(await app.jobs()) == 1


async def test_jobs_are_listed_by_what_is_asked_for(app: Holdfast, db: Database) -> None:
    @app.task(queue="mail")
    async def greet(name: str) -> None: ...

    @app.task(queue="other")
    async def part() -> None: ...

    ada, grace = await greet.enqueue("Ada"), await greet.options(labels={"tenant": "a"}).enqueue("Grace")
    await part.options(delay=60).enqueue()
    assert {job.id for job in await app.jobs(task="greet")} == {ada.id, grace.id}
    assert [job.id for job in await app.jobs(labels={"tenant": "a"})] == [grace.id]
    assert [job.task for job in await app.jobs(state=State.SCHEDULED)] == ["part"]
    assert [job.task for job in await app.jobs(queue="other")] == ["part"]
    with pytest.raises(InvalidInput, match="finished"):
        await app.jobs(state="finished")
    newest, *older = await app.jobs()
    assert [job.id for job in await app.jobs(before=newest.id, limit=1)] == [older[0].id]


async def test_a_claimed_actor_stands_beside_the_login(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    job = await (await greet.options(actor="Ada").enqueue()).job()
    assert (job.claimed_actor, job.login, job.role, job.origin) == ("Ada", "holdfast", None, "automatic")


async def test_jobs_with_actors_of_their_own_are_stored_together(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    names = ["Ada", "Bob", None]
    handles = await app.enqueue_many([greet.options(actor=name).call() for name in names])
    assert [(await one.job()).claimed_actor for one in handles] == names


async def test_jobs_are_found_by_unique_key_origin_and_actor(app: Holdfast) -> None:
    @app.task()
    async def greet() -> None: ...

    mine = await greet.options(unique_key="k", origin="import", actor="Ada").enqueue()
    await greet.enqueue()
    for found in (
        await app.jobs(unique_key="k"),
        await app.jobs(unique_key="k", unique_scope="greet"),
        await app.jobs(origin="import"),
        await app.jobs(actor="Ada"),
    ):
        assert [job.id for job in found] == [mine.id]
    assert await app.jobs(unique_key="k", unique_scope="other") == []
