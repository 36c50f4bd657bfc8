"""`holdfast flags`, and what doctor and `workers show` say about flags."""

from dataclasses import fields

import pytest

from holdfast.db.connect import Connection
from holdfast.model.flag import Flag
from tests.builders import a_queue, a_worker, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given

KEYS = {field.name for field in fields(Flag)}


def test_a_flag_is_set_listed_and_unset(database_url: str) -> None:
    done = holdfast("flags", "set", "slots", "20", "--group", "gpu", "--reason", "load", url=database_url)
    assert [line.split() for line in done.lines] == [
        ["set:", "slots"],
        ["SETTING", "BEFORE", "AFTER"],
        ["slots", "-", "20"],
    ]
    again = holdfast("flags", "set", "slots", "20", "--group", "gpu", url=database_url)
    assert again.out == "unchanged: slots\n"
    listed = holdfast("flags", "list", "--json", url=database_url).document["flags"]
    assert {frozenset(flag) for flag in listed} == {frozenset(KEYS)}
    assert [(flag["name"], flag["group"], flag["value"], flag["is_set"]) for flag in listed] == [
        ("claim_size", None, "auto", False),
        ("detail", None, "basic", False),
        ("rescue", None, "on", False),
        ("slots", None, "50", False),
        ("slots", "gpu", "20", True),
    ]
    table = holdfast("flags", "list", url=database_url, COLUMNS="100").lines
    assert table[4].split()[:4] == ["slots", "all", "50", "(default)"]
    assert table[5].split()[:4] == ["slots", "group", "gpu", "20"]
    changed = holdfast("flags", "unset", "slots", "--group", "gpu", "--json", url=database_url).document
    assert changed == {"name": "slots", "changes": [{"setting": "slots", "before": "20", "after": None}]}
    assert len(holdfast("flags", "list", "--json", url=database_url).document["flags"]) == 4


@pytest.mark.parametrize(
    "arguments", [("colour", "red"), ("rescue", "maybe"), ("slots", "3", "--queue", "mail")]
)
def test_what_does_not_fit_is_refused_with_the_list(database_url: str, arguments: tuple[str, ...]) -> None:
    refused = holdfast("flags", "set", *arguments, url=database_url)
    assert refused.code == 2, refused.err
    assert "\nhint: The flags are rescue (on or off; for all or one queue), detail" in refused.err


def test_workers_show_says_where_slots_come_from(database_url: str) -> None:
    worker = given(database_url, lambda conn: a_worker(conn, slots=20, slots_from="group"))
    shown = holdfast("workers", "show", str(worker), "--json", url=database_url).document
    assert (shown["slots"], shown["slots_from"], shown["claim_size_from"]) == (20, "group", None)


def test_doctor_warns_while_rescue_is_off(database_url: str) -> None:
    async def lose(conn: Connection) -> None:
        job = await running_job(conn, queue="mail")
        await conn.execute(
            "update holdfast.workers set lease_until = now() - interval '1 hour' where id = $1", job.worker
        )
        await a_worker(conn)

    def found(check: str) -> dict[str, str]:
        findings = holdfast("doctor", "--json", url=database_url).document["findings"]
        return next(one for one in findings if one["check"] == check)

    assert found("rescue")["level"] == "ok"
    given(database_url, lambda conn: a_queue(conn, "mail"))
    wrong = holdfast("flags", "set", "rescue", "off", "--queue", "mial", url=database_url)
    assert (wrong.code, wrong.err) == (5, "error: There is no queue mial.\nhint: The queues are mail.\n")
    holdfast("flags", "set", "rescue", "off", "--queue", "mail", "--reason", "deploy", url=database_url)
    off = found("rescue")
    assert off["level"] == "note"
    assert off["message"].startswith("The flag rescue is off for the queue mail since ")
    assert off["message"].endswith(": deploy. Jobs of lost workers stay there.")
    assert off["fix"] == "holdfast flags unset rescue --queue mail"
    given(database_url, lose)
    kept = found("workers")
    assert (kept["level"], kept["message"]) == (
        "wrong",
        "1 worker is lost, and the flag rescue is off, so its jobs wait.",
    )
    holdfast("flags", "unset", "rescue", "--queue", "mail", url=database_url)
    assert found("workers")["message"] == "1 worker is lost, and no other worker has rescued its jobs."
    holdfast("flags", "set", "rescue", "off", url=database_url)
    assert found("rescue")["message"].startswith("The flag rescue is off for all queues since ")
    assert found("rescue")["fix"] == "holdfast flags unset rescue"
