"""`app.schedule` declares schedules; `app.schedules` operates them."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast import Conflict, Holdfast, InvalidOption, InvalidPayload, NotFound, Pipeline, Stage
from holdfast.client.schedule import coming_slots


async def test_tasks_and_pipelines_are_declared_with_their_payload_and_options(database_url: str) -> None:
    app = Holdfast(database_url, name="shop")

    @app.schedule("0 7 * * 1-5", tz="Europe/Berlin", payload={"day": 1}, missed="all")
    @app.task(queue="reports")
    async def report(day: int) -> None: ...

    app.schedule(every="5m", name="urgent", payload={"day": 2})(report.options(priority=90, labels={"a": 1}))
    posts = app.pipeline(Pipeline("posts", [Stage("one", task="report")]))
    app.schedule(every="1h", payload={"day": 3}, overlap="skip")(posts.options(priority=20))
    async with app:
        await app.declare()
        await app.declare()
        nightly, entered, urgent = sorted(
            await app.schedules.find(), key=lambda one: ("report", "posts", "urgent").index(one.name)
        )
        assert [event.cause for event in await app.audit.find()].count("declare_schedules") == 3
    assert (nightly.task, nightly.cron, nightly.tz, nightly.payload, nightly.missed, nightly.options) == (
        "report",
        "0 7 * * 1-5",
        "Europe/Berlin",
        {"day": 1},
        "all",
        {},
    )
    assert (entered.task, entered.pipeline, entered.payload, entered.overlap, entered.options) == (
        None,
        "posts",
        {"day": 3},
        "skip",
        {"priority": 20},
    )
    assert (urgent.every, urgent.options) == (timedelta(minutes=5), {"priority": 90, "labels": {"a": 1}})
    assert {one.app for one in (nightly, entered, urgent)} == {"shop"}
    (first, *_, last) = coming_slots(nightly, 5)
    assert (f"{first:%H:%M}", str(first.tzinfo), last - first >= timedelta(days=4)) == (
        "07:00",
        "Europe/Berlin",
        True,
    )


def test_a_declaration_that_could_never_run_is_refused_at_once() -> None:
    app = Holdfast()

    @app.task()
    async def report(day: int) -> None: ...

    app.schedule(every="5m", payload={"day": 1})(report)
    wrong: list[tuple[dict[str, Any], Any, str]] = [
        ({"cron": "61 * * * *"}, report, "Bad minute"),
        ({"cron": "0 7 * * *", "tz": "Mars/Base"}, report, "no time zone"),
        ({"every": "5m"}, report, "Two schedules have the name report"),
        ({"every": "5m"}, print, "needs a task or a pipeline"),
        ({"every": "5m"}, report.options(unique_key="a"), "cannot have the option unique_key"),
    ]
    for place, (times, target, words) in enumerate(wrong):
        name = None if "Two" in words else f"s{place}"
        with pytest.raises(InvalidOption, match=words):
            app.schedule(**times, name=name, payload={"day": 1})(target)
    with pytest.raises(InvalidPayload, match="day"):
        app.schedule(every="5m", name="unfit")(report)


async def test_an_operator_adds_changes_pauses_runs_and_removes_a_schedule(database_url: str) -> None:
    async with Holdfast(database_url, name="ops") as app:
        await app.schedules.add("s", "wanted", task="report", every="5m", options={"timeout": "30s"})
        with pytest.raises(Conflict, match="already"):
            await app.schedules.add("s", task="report", every="5m")
        with pytest.raises(InvalidOption, match="Bad hour"):
            await app.schedules.set("s", cron="0 25 * * *")
        changed, *_ = await app.schedules.set("s", cron="0 7 * * *", payload={"a": 1}, tz=None)
        assert changed.setting == "cron"
        await app.schedules.pause("s", "hot")
        assert (await app.schedules.get("s")).paused_reason == "hot"
        job = await app.job(await app.schedules.run("s", "now")).job()
        assert (job.task, job.payload, job.timeout, job.origin) == (
            "report",
            {"a": 1},
            timedelta(seconds=30),
            "manual",
        )
        await app.schedules.resume("s")
        await app.schedules.remove("s", "over")
        with pytest.raises(NotFound):
            await app.schedules.get("s")
        assert {event.actor for event in await app.audit.find()} == {"ops"}
