"""`holdfast migrate`: what it does, what it only says, and what it refuses."""

import asyncio

import asyncpg

from tests.cli.command import holdfast


def test_a_fresh_database_is_brought_up_to_date_and_the_second_time_nothing_is_done(
    empty_database_url: str,
) -> None:
    first = holdfast("migrate", "--json", url=empty_database_url)
    assert first.code == 0, first.err
    assert first.document["applied"][0] == "0001_initial"
    assert first.document["functions_installed"] is True
    second = holdfast("migrate", "--json", url=empty_database_url).document
    assert second == first.document | {"applied": [], "functions_installed": False}
    assert second.keys() == {"applied", "functions_installed", "migration", "function_set", "roles", "owner"}


def test_dry_run_and_check_say_what_is_pending_and_change_nothing(empty_database_url: str) -> None:
    dry = holdfast("migrate", "--dry-run", "--json", url=empty_database_url)
    assert dry.code == 0
    assert dry.document["pending"][0] == "0001_initial"
    assert dry.document["pending"][-1] == "functions"
    check = holdfast("migrate", "--check", url=empty_database_url)
    assert check.code == 4
    assert check.lines[0] == "pending: 0001_initial"


async def test_the_sql_that_would_run_is_printed_and_does_what_a_migrate_does(
    empty_database_url: str,
) -> None:
    printed = await asyncio.to_thread(holdfast, "migrate", "--sql", url=empty_database_url)
    assert printed.code == 0, printed.err
    assert (await asyncio.to_thread(holdfast, "migrate", "--check", url=empty_database_url)).code == 4
    conn = await asyncpg.connect(empty_database_url)
    await conn.execute(printed.out)
    await conn.close()
    check = await asyncio.to_thread(holdfast, "migrate", "--check", url=empty_database_url)
    assert check.code == 0, check.out
    again = await asyncio.to_thread(holdfast, "migrate", "--sql", url=empty_database_url)
    assert (again.code, again.out) == (0, "")
    assert "up to date" in again.err


async def test_only_what_is_pending_is_in_the_sql_that_would_run(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await conn.execute("update holdfast.function_set set hash = 'another'")
    await conn.execute("create function holdfast.forgotten() returns void language sql as ''")
    printed = await asyncio.to_thread(holdfast, "migrate", "--sql", "--json", url=database_url)
    assert "Step: functions" in printed.document["sql"]
    assert "Step: 0001" not in printed.document["sql"]
    await conn.execute(printed.document["sql"])
    assert await conn.fetchval("select to_regproc('holdfast.forgotten')") is None
    await conn.close()
    assert (await asyncio.to_thread(holdfast, "migrate", "--check", url=database_url)).code == 0


def test_check_is_content_with_a_database_that_is_up_to_date(database_url: str) -> None:
    check = holdfast("migrate", "--check", url=database_url)
    assert check.code == 0
    assert check.out.startswith("up to date: migration ")


async def test_a_database_that_is_newer_is_refused_with_4_but_other_commands_go_on(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await conn.execute(
        "insert into holdfast.migrations (version, name, checksum) values (9999, 'later', 'x')"
    )
    await conn.execute("update holdfast.function_set set version = 9999")
    await conn.close()
    for arguments in (["migrate"], ["migrate", "--check"], ["migrate", "--dry-run"]):
        refused = await asyncio.to_thread(holdfast, *arguments, url=database_url)
        assert refused.code == 4, refused.err
        assert "upgrade Holdfast" in refused.err
    assert (await asyncio.to_thread(holdfast, "queues", "list", url=database_url)).code == 0


def test_a_migrated_database_has_partitions_ahead(empty_database_url: str) -> None:
    holdfast("migrate", url=empty_database_url)
    doctor = holdfast("doctor", "--json", url=empty_database_url).document
    (partitions,) = [one for one in doctor["findings"] if one["check"] == "partitions"]
    assert partitions["level"] == "ok"
