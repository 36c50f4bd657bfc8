"""Settings of process mode that cannot be, refused at decoration."""

from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler, InvalidOption


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"memory": "512MiB"}, 'mode="process"'),
        ({"nice": 3}, 'mode="process"'),
        ({"mode": "thread"}, 'mode="process"'),
        ({"mode": "process", "memory": "much"}, "512MiB"),
        ({"mode": "process", "memory": "1MiB"}, "64MiB"),
        ({"mode": "process", "nice": 20}, "19"),
        ({"mode": "process", "nice": -1}, "19"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_a_remedy(settings: dict[str, Any], remedy: str) -> None:
    with pytest.raises(InvalidOption) as refused:
        Holdfast().task(**settings)
    assert remedy in (refused.value.hint or "")


def test_a_handler_that_no_other_process_can_find_is_refused() -> None:
    def local() -> None: ...

    with pytest.raises(BadHandler) as refused:
        Holdfast().task(mode="process")(local)
    assert "top level" in (refused.value.hint or "")
