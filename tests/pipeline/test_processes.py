"""Stages in processes of their own route, wait and see as others do."""

import pytest

from holdfast import Worker
from holdfast.model.state import State
from tests.pipeline import process_stages as stages


@pytest.mark.slow
async def test_a_stage_in_a_process_routes_waits_and_sees(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with stages.app as app:
        await app.declare()
        handle = await stages.line.enqueue(text="two words")
        await Worker(app, app.queue_names, drain=True).run()
        assert await handle.status() is State.WAITING
        await handle.signal("approval", "yes")
        await Worker(app, app.queue_names, drain=True).run()
        context, parts, seen, answer = await handle.result()
        assert context == {"words": 2}
        assert parts == ["TWO", "WORDS"]
        assert seen == [["failed", "count"], ["output", "count"]]
        assert answer == "yes"
        ((message,),) = await app.database.fetch("select message from holdfast.attempt_view")
        assert message.startswith("The output does not fit stage count: $.words")
