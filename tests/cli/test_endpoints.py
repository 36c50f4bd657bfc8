"""`holdfast endpoints`: the verbs, and the shape of what they print."""

from dataclasses import fields

import pytest

from holdfast.db.connect import Connection
from holdfast.model.endpoint import EndpointSummary
from tests.builders import complete, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given, rows

KEYS = {field.name for field in fields(EndpointSummary)}


def test_an_endpoint_is_set_listed_shown_opened_and_closed(database_url: str) -> None:
    settings = ["max=16", "requests_per_minute=60", "open_first=10s", 'shares={"chat":0.3}', "mode=aimd"]
    assert holdfast("endpoints", "set", "ollama", *settings, url=database_url).code == 0
    shown = holdfast("endpoints", "show", "ollama", "--json", url=database_url).document
    assert shown.keys() == KEYS
    assert (shown["mode"], shown["max"], shown["requests_per_minute"]) == ("aimd", 16, 60)
    assert shown["shares"] == {"chat": 0.3}
    holdfast("endpoints", "set", "ollama", "requests_per_minute=null", url=database_url)
    shown = holdfast("endpoints", "show", "ollama", "--json", url=database_url).document
    assert shown["requests_per_minute"] is None

    opened = holdfast("endpoints", "open", "ollama", "--reason", "new model", url=database_url)
    assert opened.out == "opened: ollama\n"
    (listed,) = holdfast("endpoints", "list", "--json", url=database_url).document["endpoints"]
    assert listed["circuit"] == "held_open"
    assert "held_open" in holdfast("endpoints", "list", url=database_url, COLUMNS="80").out
    assert holdfast("endpoints", "close", "ollama", url=database_url).out == "closed: ollama\n"
    trail = rows(database_url, "select cause, reason from holdfast.event_view order by at")
    assert [tuple(row) for row in trail] == [
        ("set_endpoint", None),
        ("set_endpoint", None),
        ("endpoint_open", "new model"),
        ("endpoint_close", None),
    ]


@pytest.mark.parametrize("verb", ["show", "open", "close", "watch"])
def test_an_endpoint_that_is_not_there_is_not_found(database_url: str, verb: str) -> None:
    assert holdfast("endpoints", verb, "nowhere", url=database_url).code == 5


@pytest.mark.parametrize(
    "setting",
    ["colour=red", "max=0", "mode=odd", "open_first=soon", "nonsense", 'shares={"a":2}', "price=-1"],
)
def test_a_setting_that_does_not_exist_or_does_not_fit_is_refused(database_url: str, setting: str) -> None:
    refused = holdfast("endpoints", "set", "ollama", setting, url=database_url)
    assert refused.code == 2, refused.err
    assert "\nhint: " in refused.err


def test_where_nobody_watches_one_frame_is_painted(database_url: str) -> None:
    async def call(conn: Connection) -> None:
        assert await complete(conn, await running_job(conn, endpoint="ollama"))

    given(database_url, call)
    watched = holdfast("endpoints", "watch", "ollama", url=database_url)
    assert watched.lines[0] == "ollama: circuit closed, 0 of 2 calls run, 1 started so far"
    assert watched.lines[1].split()[:4] == ["AT", "STARTED", "OK", "FAILED"]
    assert sum(int(line.split()[2]) for line in watched.lines[2:]) == 1, "one call succeeded"
