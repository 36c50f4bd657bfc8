"""`app.settings` and `app.audit`: what operators change from Python, and what the trail says of it."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast import Holdfast, InvalidOption, NotFound
from holdfast.client.task_and_queue_settings import task_wire
from holdfast.model.audit import DayStatus, SettingChange


async def test_settings_are_changed_with_a_reason(database_url: str) -> None:
    async with Holdfast(database_url, name="ops") as app:
        assert await app.settings.set_task("send", reason="slow", timeout="5s", queue="mail") == [
            SettingChange("queue", None, "mail"),
            SettingChange("timeout", None, 5),
        ]
        assert await app.settings.set_task("send", timeout=None) == [SettingChange("timeout", 5, None)]
        assert await app.settings.set_endpoint("llm", max=8) == [SettingChange("max", 64, 8)]
        found = await app.audit.find()
        assert [event.cause for event in found] == ["set_endpoint", "set_task", "set_task"]
        assert {event.actor for event in found} == {"ops"}
        assert await app.audit.show(found[-1].id) == found[-1]


async def test_flags_are_set_listed_and_refused(database_url: str) -> None:
    async with Holdfast(database_url, name="ops") as app:
        assert await app.settings.set_flag("slots", 4, "load", group="gpu") == [
            SettingChange("slots", None, "4")
        ]
        app.queue("mail")
        await app.declare()
        await app.settings.set_flag("rescue", "off", queue="mail")
        scoped = [flag for flag in await app.settings.list_flags() if flag.queue or flag.group]
        assert [(flag.name, flag.queue, flag.group, flag.value) for flag in scoped] == [
            ("rescue", "mail", None, "off"),
            ("slots", None, "gpu", "4"),
        ]
        assert (scoped[1].actor, scoped[1].reason) == ("ops", "load")
        assert await app.settings.set_flag("slots", None, group="gpu") == [SettingChange("slots", "4", None)]
        assert {event.cause for event in await app.audit.find()} == {"set_flag"}
        with pytest.raises(InvalidOption, match="There is no flag colour") as refused:
            await app.settings.set_flag("colour", "red")
        assert "rescue (on or off; for all or one queue)" in (refused.value.hint or "")


def test_a_setting_that_a_task_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidOption, match="no setting retention"):
        task_wire("send", {"retention": 5})


async def test_an_app_that_starts_again_adds_nothing_to_the_trail(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        app.queue("mail", retention="2d", retry="chat")
        app.endpoint("llm", preset="prod", budget="20 USD/day")

        @app.task(queue="mail", endpoint="llm", rate="100/minute")
        def send() -> None: ...

        await app.declare()
        first = await app.audit.find()
        assert {event.cause for event in first} == {"declare_queue", "declare_task", "declare_endpoint"}
        await app.declare()
        assert await app.audit.find() == first


async def test_the_trail_is_read_by_pages_and_verified(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        for timeout in range(1, 6):
            await app.settings.set_queue("mail", timeout=timeout)
        now = datetime.now(UTC)
        every = [event.id async for event in app.audit.every(since=now - timedelta(hours=1))]
        assert every == sorted(every, reverse=True)
        assert len(every) == 5
        assert len(await app.audit.find(limit=2)) == 2
        (today,) = await app.audit.verify()
        assert (today.events, today.status) == (5, DayStatus.UNSEALED)
        with pytest.raises(NotFound):
            await app.audit.show(0)
        with pytest.raises(InvalidOption):
            await app.audit.find(since=now.replace(tzinfo=None))
