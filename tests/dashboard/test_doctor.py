"""The page of the doctor: its verdict counts what needs a look, and what to do can be copied."""

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.client.doctor_checks import Finding, Level
from holdfast.dashboard.pages.doctor import command_of, verdict_of
from holdfast.dashboard.troubles import is_serious
from holdfast.db.connect import Connection


def findings(wrong: int, notes: int, passed: int) -> list[Finding]:
    levels = [Level.WRONG] * wrong + [Level.NOTE] * notes + [Level.OK] * passed
    return [Finding(f"check {number}", level, "words", None) for number, level in enumerate(levels)]


def test_the_verdict_counts_notes() -> None:
    assert verdict_of(findings(0, 0, 20)) == "All 20 checks pass"
    assert verdict_of(findings(0, 3, 17)) == "3 checks need a look, 17 pass"
    assert verdict_of(findings(0, 1, 1)) == "1 check needs a look, 1 passes"
    assert verdict_of(findings(2, 1, 17)) == "2 checks failed, 1 needs a look, 17 pass"


def test_the_verdict_counts_a_risk_of_data_loss_apart_from_notes() -> None:
    risk = Finding("durability", Level.NOTE, "A crash can lose jobs.", None)
    assert verdict_of([risk, *findings(0, 2, 17)]) == "1 risk of data loss, 2 checks need a look, 17 pass"
    assert verdict_of([risk, *findings(0, 0, 1)]) == "1 risk of data loss, 1 passes"
    assert (
        verdict_of([risk, *findings(1, 1, 3)])
        == "1 check failed, 1 risk of data loss, 1 check needs a look, 3 pass"
    )


def test_a_command_is_found_in_what_to_do() -> None:
    assert command_of("holdfast queues resume --all") == "holdfast queues resume --all"
    assert command_of("run 'holdfast migrate'") == "holdfast migrate"
    statement = "alter system set fsync = on; select pg_reload_conf();"
    assert command_of(f"as a superuser in psql, run '{statement}'; it needs no restart") == statement
    assert command_of("start a worker; any one will do") is None
    assert command_of("holdfast schedules remove old, or declare it again") is None


async def test_a_check_that_needs_a_look_stands_first_with_its_command(
    http: AsyncClient, app: Holdfast
) -> None:
    app.queue("mail")
    await app.declare()
    await app.settings.set_flag("rescue", "off", queue="mail")
    page = (await http.get("/doctor")).text
    assert "All checks pass" not in page
    assert "need a look" in page or "needs a look" in page or "failed" in page
    assert '<code id="do-rescue">holdfast flags unset rescue --queue mail</code>' in page
    assert page.index('id="rescue"') < page.index('id="passed"')


def test_what_can_lose_jobs_is_serious() -> None:
    assert is_serious(Finding("durability", Level.NOTE, "A crash can lose jobs.", None))
    assert is_serious(Finding("schema", Level.WRONG, "words", None))
    assert not is_serious(Finding("durability", Level.OK, "words", None))
    assert not is_serious(Finding("rescue", Level.NOTE, "words", None))


async def test_only_the_settings_that_are_off_are_named_with_what_switches_them_on(
    http: AsyncClient, conn: Connection
) -> None:
    off = await conn.fetch(
        "select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')"
        " and setting = 'off'"
    )
    page = (await http.get("/doctor")).text
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        assert (f"alter system set {name} = on;" in page) == (name in {row["name"] for row in off})
    assert off, "the server of the tests is fast, and not durable"
    assert "are off." in page or "is off." in page
