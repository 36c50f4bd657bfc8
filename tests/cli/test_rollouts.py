"""`holdfast rollouts`, and the same from Python."""

import asyncio

from holdfast import Holdfast
from tests.cli.command import Result, holdfast

ROLLOUT_KEYS = {"name", "percent", "changed_at"}


def rollouts(*words: str, url: str) -> Result:
    return holdfast("rollouts", *words, url=url)


def test_a_roll_out_is_set_listed_and_checked(database_url: str) -> None:
    done = rollouts("set", "new-queue", "20%", "--reason", "first customers", url=database_url)
    assert (done.code, done.lines[0]) == (0, "set: new-queue")
    assert rollouts("set", "other", "on", url=database_url).code == 0
    found = rollouts("list", "--json", url=database_url).document["rollouts"]
    assert [one.keys() for one in found] == [ROLLOUT_KEYS] * 2
    assert [(one["name"], one["percent"]) for one in found] == [("new-queue", 20), ("other", 100)]
    listed = rollouts("list", url=database_url).out
    assert "20%" in listed
    assert " on " in listed
    assert rollouts("check", "other", "42", url=database_url).out == "in\n"
    assert rollouts("set", "other", "off", url=database_url).code == 0
    assert rollouts("check", "other", "42", url=database_url).out == "out\n", "off holds at once"
    assert rollouts("check", "unknown", "42", "--json", url=database_url).document == {
        "name": "unknown",
        "key": "42",
        "in": False,
    }
    events = holdfast("audit", "list", "--kind", "set_rollout", "--json", url=database_url)
    assert [event["reason"] for event in events.document["events"]] == [None, None, "first customers"]


def test_a_share_that_is_none_is_refused_with_its_forms(database_url: str) -> None:
    for share in ("half", "101%", "1.234%", "20%%", "nan"):
        refused = rollouts("set", "new-queue", share, url=database_url)
        assert (refused.code, "20%, 0.5% or on" in refused.err) == (2, True), share


def test_a_program_sets_and_asks_too(database_url: str) -> None:
    async def program() -> list[object]:
        async with Holdfast(database_url) as app:
            (change,) = await app.settings.set_rollout("new-queue", "0.5%", reason="a few")
            await app.settings.set_rollout("new-queue", 100)
            inside = await asyncio.to_thread(app.in_rollout_sync, "new-queue", "42")
            (listed,) = await app.rollouts()
            return [change.after, inside, await app.in_rollout("unknown", "42"), listed.share]

    assert asyncio.run(program()) == [0.5, True, False, "on"]
