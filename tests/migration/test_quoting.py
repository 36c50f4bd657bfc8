"""`standard_conforming_strings = off`, where a backslash in a literal is an escape, changes nothing."""

import re
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from holdfast.db.migrate import migrate
from holdfast.db.sql_files import SQL, load_sql_files
from holdfast.model.error import HoldfastError
from tests.builders import attempts_of, complete, fail, ready_job, refusal, running_job
from tests.migration.catalog import catalog_of
from tests.migration.release import connection
from tests.sql.base.ordinary_lines import ordinary_lines
from tests.sql.base.secret_shapes import WITH_A_SECRET

OFF = "standard_conforming_strings = off"
PAYLOAD = {"path": "C:\\new\\table", "quote": 'it\'s "\\\\"', "like": "%\\_", "uml\\u00fct": "\\u0041 \\n"}
NOT_STORABLE = ['{"a": "\\u0000"}', '{"a": "\\ud800"}', '["' + '\\"' * 9 + '", 1e999]']


async def results(conn: Connection) -> list[Any]:
    """What verbs make of texts with backslashes."""
    job = await running_job(conn, payload=PAYLOAD, labels={"a\\b": "c\\d"})
    found: list[Any] = [await conn.fetchval("select payload from holdfast.get_job($1)", job.id)]
    assert await complete(conn, job, PAYLOAD)
    found.append(await conn.fetchval("select output from holdfast.get_job($1)", job.id))
    broken = await running_job(conn)
    await fail(conn, broken, message=r"C:\new\table 'a' password=\"hunter\"", traceback="\\1 0xdeadbeef")
    found += [(row["message"], row["traceback"]) for row in await attempts_of(conn, broken.id)]
    for payload in NOT_STORABLE:
        said = await refusal(
            conn, "select holdfast.enqueue_jobs(array['t'], array[$1::text]::json[])", payload
        )
        found.append((said.sqlstate, said.message))
    await conn.execute(
        """select holdfast.declare_queue('slow', '{"rate": "1/hour", "max_concurrent": "1"}')"""
    )
    await conn.execute("""select holdfast.start_run('r', '{"budget": "5.25 USD"}')""")
    found.append(await conn.fetch("select name, rate, max_concurrent from holdfast.limits"))
    held = [await ready_job(conn, queue="slow") for _ in range(2)]
    await running_job(conn, queue="slow")
    found.append(await conn.fetch("select blocker, detail from holdfast.explain($1)", held[1]))
    texts = [*WITH_A_SECRET, *ordinary_lines(500, seed=7)]
    found.append(await conn.fetch("select holdfast.sanitise_text(t) from unnest($1::text[]) as t", texts))
    return found


async def without_standard_strings(conn: Connection) -> None:
    database = await conn.fetchval("select current_database()")
    await conn.execute(f"alter database {database} set {OFF}")


async def test_migrate_and_verbs_work_the_same(empty_database_url: str, database_url: str) -> None:
    async with connection(empty_database_url) as admin:
        await without_standard_strings(admin)
    async with connection(empty_database_url) as off, connection(database_url) as on:
        assert await off.fetchval("show standard_conforming_strings") == "off"
        await migrate(off)
        assert await off.fetchval("show standard_conforming_strings") == "off", (
            "the caller's own is left alone"
        )
        assert await catalog_of(off) >= {line for line in await catalog_of(on) if "history_" not in line}
        assert await results(off) == await results(on)


async def test_an_app_gets_its_payloads_back(database_url: str) -> None:
    async with connection(database_url) as admin:
        await without_standard_strings(admin)
    async with Holdfast(database_url) as app:

        @app.task()
        async def keep(value: dict[str, str]) -> dict[str, str]:
            return value

        job = await keep.enqueue(PAYLOAD)
        assert (await job.job()).payload == {"value": PAYLOAD}
        with pytest.raises(HoldfastError):
            await keep.enqueue({"a": "\x00"})


def test_no_literal_depends_on_how_a_session_reads_backslashes() -> None:
    """A function's body is read with the caller's setting: only dollar quotes are always the same."""
    texts = {file.name: file.text for file in load_sql_files().functions}
    texts |= {path.name: path.read_text() for path in SQL.glob("*.sql")}
    assert len(texts) > 200
    wrong = [
        name
        for name, text in texts.items()
        if "\\" in re.sub(r"--[^\n]*", "", re.sub(r"\$re\$.*?\$re\$", "", text, flags=re.DOTALL))
    ]
    assert wrong == []
