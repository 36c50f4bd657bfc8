"""The HTTP library tells of every call: only who asks for it hears that."""

import logging
from collections.abc import Iterator

import pytest

from holdfast.client.app import Holdfast
from tests.agent.scene import scene

LIBRARY = "httpx2"


@pytest.fixture(autouse=True)
def library() -> Iterator[logging.Logger]:
    """With the level that it has before any agent was made."""
    logger = logging.getLogger(LIBRARY)
    before = logger.level
    logger.setLevel(logging.NOTSET)
    yield logger
    logger.setLevel(before)


async def told_by_a_call(app: Holdfast, caplog: pytest.LogCaptureFixture) -> list[str]:
    async with scene(app, "fine") as s:
        await s.run(s.agent())
    return [record.getMessage() for record in caplog.records if record.name == LIBRARY]


async def test_a_call_is_not_a_line_in_the_log(app: Holdfast, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert await told_by_a_call(app, caplog) == []


async def test_with_debug_every_call_is_a_line(app: Holdfast, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert len(await told_by_a_call(app, caplog)) == 1


async def test_a_level_that_was_given_to_the_library_stays(
    app: Holdfast, library: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    library.setLevel(logging.INFO)
    caplog.set_level(logging.INFO)
    assert len(await told_by_a_call(app, caplog)) == 1
