"""`holdfast schedules`: the verbs, and the shape of what they print; what doctor says of schedules."""

import json
from dataclasses import fields

import pytest

from holdfast.db.connect import Connection
from holdfast.model.schedule import Schedule
from tests.builders import a_worker, claim_one, complete
from tests.cli.command import holdfast
from tests.cli.scene import given, rows
from tests.cli.test_doctor import findings

KEYS = {field.name for field in fields(Schedule)} | {"next_slots"}
NIGHTLY = ("task=report", "cron=0 7 * * 1-5", "tz=Europe/Berlin", 'payload={"day": 1}')


def test_a_schedule_is_added_set_listed_paused_run_and_removed(database_url: str) -> None:
    added = holdfast("schedules", "add", "nightly", *NIGHTLY, "--reason", "new", url=database_url)
    assert (added.code, added.lines[0]) == (0, "set: nightly")
    assert holdfast("schedules", "add", "nightly", *NIGHTLY, url=database_url).code == 6
    changed = holdfast("schedules", "set", "nightly", "missed=all", "--json", url=database_url).document
    assert changed == {
        "name": "nightly",
        "changes": [{"setting": "missed", "before": "last", "after": "all"}],
    }
    (listed,) = holdfast("schedules", "list", "--json", url=database_url).document["schedules"]
    assert listed.keys() == KEYS
    assert (listed["state"], listed["payload"], len(listed["next_slots"])) == ("new", {"day": 1}, 5)

    paused = holdfast("schedules", "pause", "nightly", "--reason", "hot", url=database_url)
    assert paused.out == "paused: nightly\n"
    shown = holdfast("schedules", "list", url=database_url).out
    assert "at 07:00 on Monday through Friday, Europe/Berlin (0 7 * * 1-5)" in shown
    assert "hot" in shown
    job = holdfast("schedules", "run", "nightly", "--json", url=database_url).document["job"]
    labels = json.loads(holdfast("jobs", "show", job, "--json", url=database_url).out)["labels"]
    assert labels == {"schedule": "nightly"}
    assert holdfast("schedules", "resume", "nightly", url=database_url).out == "resumed: nightly\n"
    assert holdfast("schedules", "remove", "nightly", url=database_url).out == "removed: nightly\n"
    assert holdfast("schedules", "list", url=database_url).out == ""
    trail = rows(database_url, "select cause from holdfast.event_view order by id")
    assert [row["cause"] for row in trail] == [
        f"{verb}_schedule" for verb in ("set", "set", "pause", "run", "resume", "remove")
    ]


def test_the_list_shows_the_next_five_times_in_words_and_how_the_last_slot_ended(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute(
            """select holdfast.set_schedule('nightly', '{"task": "report", "cron": "0 7 * * 1-5",
               "tz": "Europe/Berlin"}')"""
        )
        await conn.execute("update holdfast.schedules set counts_from = '2030-03-27T00:00:00Z'")
        await conn.execute(
            "select holdfast.check_schedule('nightly', '2030-03-27T00:00:00Z', '2030-03-27T06:00:00Z')"
        )
        # Its first slot, a day ago.
        await conn.execute(
            "update holdfast.schedules set next_slot = date_trunc('day', now()) - interval '1 day'"
        )
        await conn.execute(
            "select holdfast.fire_schedule('nightly', next_slot, '2030-03-28T06:00:00Z')"
            " from holdfast.schedules"
        )
        assert await complete(conn, await claim_one(conn, await a_worker(conn)))

    given(database_url, make)
    (line,) = [line for line in holdfast("schedules", "list", url=database_url).lines if "next" in line]
    assert (
        "Thu 28 Mar 07:00, Fri 29 Mar 07:00, Mon 1 Apr 07:00, Tue 2 Apr 07:00, Wed 3 Apr 07:00 (in " in line
    )
    (last,) = [line for line in holdfast("schedules", "list", url=database_url).lines if "last" in line]
    (job,) = rows(database_url, "select id from holdfast.history")
    assert f"job {job['id']}, completed" in last


@pytest.mark.parametrize("verb", ["pause", "resume", "remove", "run"])
def test_a_schedule_that_is_not_there_is_not_found(database_url: str, verb: str) -> None:
    assert holdfast("schedules", verb, "nothing", url=database_url).code == 5


def test_set_does_not_add_a_schedule_whose_name_is_mistyped(database_url: str) -> None:
    for settings in (["task=report", "every=5m"], ["every=5m"]):
        refused = holdfast("schedules", "set", "nightyl", *settings, url=database_url)
        assert (refused.code, "'holdfast schedules add' adds one" in refused.err) == (5, True)
    assert rows(database_url, "select from holdfast.schedules") == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["schedules", "add", "x", "every=5m"], "a schedule needs either a task or a pipeline"),
        (["rules", "add", "x", "condition=$.a == 1", "--task", "t"], "a rule needs points or a queue"),
        (["queues", "set-rebalance", "a", "b", "ratio=1"], "ratio must be more than 1"),
        (["queues", "set", "a", "priority=500"], "priority must be 0 to 100"),
    ],
)
def test_a_refused_setting_is_explained_without_the_words_of_the_database(
    database_url: str, words: list[str], problem: str
) -> None:
    given(
        database_url,
        lambda conn: conn.execute("select holdfast.declare_queue(q) from (values ('a'), ('b')) as v (q)"),
    )
    refused = holdfast(*words, url=database_url)
    assert (refused.code, problem in refused.err, "constraint" in refused.err) == (2, True, False), (
        refused.err
    )
    assert "\nhint: " in refused.err


@pytest.mark.parametrize(
    "setting", ["cron=every day", "tz=Mars/Base", "every=soon", "colour=red", "missed=some", "nonsense"]
)
def test_a_bad_setting_is_refused_at_once(database_url: str, setting: str) -> None:
    settings = ["task=report", *([] if setting.startswith("cron") else ["every=5m"]), setting]
    assert holdfast("schedules", "add", "s", *settings, url=database_url).code == 2
    assert rows(database_url, "select from holdfast.schedules") == []


def test_doctor_names_schedules_that_cannot_run_or_are_no_longer_declared(database_url: str) -> None:
    assert findings(database_url)["schedules"]["level"] == "ok"

    async def declared(conn: Connection) -> None:
        for schedules in ('{"old": {"task": "report", "every": 3600}}', "{}"):
            await conn.execute("select holdfast.declare_schedules('shop', $1)", schedules)

    given(database_url, declared)
    found = findings(database_url)["schedules"]
    assert (found["level"], "old" in found["message"]) == ("note", True)
    assert found["fix"].startswith("holdfast schedules remove old")

    given(
        database_url,
        lambda conn: conn.execute("update holdfast.schedules set counts_from = now() - interval '1 hour'"),
    )
    found = findings(database_url)["schedules"]
    assert found["level"] == "wrong"
    assert found["message"] == (
        "No worker fires these schedules: old. Their app no longer declares these schedules: old."
    )

    given(
        database_url,
        lambda conn: conn.execute(
            "select holdfast.check_schedule('old', counts_from, null, 'Bad minute.') from holdfast.schedules"
        ),
    )
    found = findings(database_url)["schedules"]
    assert found["level"] == "wrong"
    assert "1 schedule cannot run: old. old is invalid: Bad minute." in found["message"]


def test_doctor_names_every_trouble_of_the_schedules_at_once(database_url: str) -> None:
    async def make(conn: Connection) -> None:
        for schedules in ('{"left": {"task": "report", "every": 3600}}', "{}"):
            await conn.execute("select holdfast.declare_schedules('shop', $1)", schedules)
        for name in ("bad", "late"):
            await conn.execute(
                """select holdfast.set_schedule($1, '{"task": "report", "every": 3600}')""", name
            )
        await conn.execute(
            "select holdfast.check_schedule(name, counts_from, null, 'Bad minute.')"
            " from holdfast.schedules where name = 'bad'"
        )
        await conn.execute(
            "update holdfast.schedules set counts_from = now() - interval '1 hour' where name = 'late'"
        )

    given(database_url, make)
    found = findings(database_url)["schedules"]
    assert found["level"] == "wrong"
    assert found["message"] == (
        "1 schedule cannot run: bad. bad is invalid: Bad minute. No worker fires these schedules: late. "
        "Their app no longer declares these schedules: left."
    )
    assert found["fix"] == (
        "correct it with holdfast schedules set bad KEY=VALUE; start a worker; any one will do; "
        "holdfast schedules remove left, or declare it again"
    )
