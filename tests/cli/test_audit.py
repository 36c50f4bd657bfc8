"""`holdfast audit`, and the changes of settings that it shows."""

import json
from dataclasses import fields

from holdfast.db.connect import Connection
from holdfast.model.audit import AuditDay, AuditEvent
from tests.builders import dead_job
from tests.cli.command import Result, holdfast
from tests.cli.scene import given

EVENT_KEYS = {field.name for field in fields(AuditEvent)}
DAY_KEYS = {field.name for field in fields(AuditDay)}


def audit(url: str, *arguments: str) -> Result:
    return holdfast("audit", *arguments, url=url, COLUMNS="80")


def yesterday(url: str) -> None:
    """Lets all events so far be those of yesterday, and seals them."""

    async def age(conn: Connection) -> None:
        await conn.execute("update holdfast.events set at = at - interval '1 day'")
        await conn.execute("select holdfast.seal_events()")

    given(url, age)


def test_queues_set_shows_before_and_after_and_keeps_the_reason(database_url: str) -> None:
    changed = holdfast(
        "queues", "set", "mail", "timeout=2m", "max_concurrent=4", "--reason", "load", url=database_url
    )
    assert [line.split() for line in changed.lines] == [
        ["set:", "mail"],
        ["SETTING", "BEFORE", "AFTER"],
        ["max_concurrent", "-", "4"],
        ["timeout", "-", "120"],
    ]
    again = holdfast("queues", "set", "mail", "timeout=2m", url=database_url)
    assert again.lines == ["unchanged: mail"]
    (event,) = audit(database_url, "list", "--json").document["events"]
    assert event.keys() == EVENT_KEYS
    assert (event["cause"], event["queue"], event["reason"]) == ("set_queue", "mail", "load")
    assert event["detail"]["after"] == {"timeout": 120, "max_concurrent": 4}
    assert event["login"]
    assert "@" in event["actor"]


def test_endpoints_set_prints_its_changes_as_json(database_url: str) -> None:
    done = holdfast("endpoints", "set", "ollama", "max=16", "--json", "--reason", "small", url=database_url)
    assert done.document == {
        "name": "ollama",
        "changes": [{"setting": "max", "before": 64, "after": 16}],
    }
    (event,) = audit(database_url, "list", "--json", "--kind", "set_endpoint").document["events"]
    assert event["reason"] == "small"


def test_events_are_listed_by_filters_in_eighty_columns(database_url: str) -> None:
    async def dead(conn: Connection) -> None:
        await dead_job(conn, message="x" * 200)

    given(database_url, dead)
    holdfast("queues", "set", "mail", "timeout=2m", "--reason", "a long reason " * 20, url=database_url)
    holdfast("queues", "pause", "mail", url=database_url)
    found = audit(database_url, "list")
    assert len(found.lines) == 4
    assert max(map(len, found.lines)) <= 80
    assert len(audit(database_url, "list", "--queue", "mail").lines) == 3
    assert len(audit(database_url, "list", "--kind", "end").lines) == 2
    assert len(audit(database_url, "list", "--actor", "nobody").lines) == 1
    assert len(audit(database_url, "list", "--since", "2099-01-01T00:00:00Z").lines) == 1
    assert audit(database_url, "list", "--since", "soon").code == 2


def test_an_event_is_shown_with_its_details(database_url: str) -> None:
    holdfast("queues", "set", "mail", "timeout=2m", url=database_url)
    (event,) = audit(database_url, "list", "--json").document["events"]
    shown = audit(database_url, "show", str(event["id"]))
    assert "not sealed yet" in shown.out
    assert '"after": {"timeout": 120}' in shown.out
    assert audit(database_url, "show", str(event["id"]), "--json").document == event
    assert audit(database_url, "show", "999").code == 5


def test_the_export_has_a_line_for_each_event(database_url: str) -> None:
    holdfast("queues", "set", "mail", "timeout=2m", url=database_url)
    holdfast("queues", "pause", "mail", url=database_url)
    exported = audit(database_url, "export")
    assert [json.loads(line)["cause"] for line in exported.lines] == ["pause", "set_queue"]
    assert exported.err == "2 exported\n"
    assert len(audit(database_url, "export", "--kind", "pause").lines) == 1


def test_verify_says_what_is_intact_unsealed_and_broken(database_url: str) -> None:
    holdfast("queues", "set", "mail", "timeout=2m", url=database_url)
    yesterday(database_url)
    holdfast("queues", "pause", "mail", url=database_url)
    verified = audit(database_url, "verify")
    assert verified.code == 0
    assert [line.split()[2] for line in verified.lines] == ["STATUS", "intact", "unsealed"]
    assert max(map(len, verified.lines)) <= 80
    document = audit(database_url, "verify", "--json").document
    assert document["intact"] is True
    assert document["days"][0].keys() == DAY_KEYS
    seal = document["days"][0]["seal"]
    assert f"--expect {seal}" in verified.err
    assert audit(database_url, "verify", "--expect", seal).code == 0
    assert audit(database_url, "verify", "--expect", "0" * 64).code == 1

    async def change(conn: Connection) -> None:
        await conn.execute("update holdfast.events set reason = 'another' where cause = 'set_queue'")

    given(database_url, change)
    broken = audit(database_url, "verify")
    assert (broken.code, broken.err) == (1, "broken: 1 of 2\n")
    assert "events were changed" in broken.out
    assert max(map(len, broken.lines)) <= 80
    assert audit(database_url, "verify", "--since", "soon").code == 2
