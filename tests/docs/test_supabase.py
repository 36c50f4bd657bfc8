"""The guide to Supabase is true, as far as it can be without one: its commands run and its request works."""

import json
import re
import shlex

from holdfast.db.connect import Connection
from tests.cli.command import holdfast
from tests.docs.page import blocks
from tests.repo.tree import ROOT

PAGE = "guides/supabase.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
SQL = (ROOT / "examples" / "clients" / "postgrest.sql").read_text()
TYPES = {"task": "text", "payload": "json", "unique_key": "text"}


def test_the_command_of_the_page_runs(database_url: str) -> None:
    ((_, line),) = blocks(PAGE, "shell")
    address, *command = shlex.split(line)
    assert address.startswith("HOLDFAST_DATABASE_URL=postgresql://")
    done = holdfast(*command[1:], url=database_url)
    assert done.code == 0, done.err


async def test_the_request_of_the_page_stores_a_job_as_postgrest_would_call_it(
    conn: Connection,
) -> None:
    ((_, request),) = blocks(PAGE, "http")
    head, _, body = request.partition("\n\n")
    verb = re.match(r"POST /rest/v1/rpc/(\w+)\n", head)
    schema = re.search(r"^Content-Profile: (\w+)$", head, re.MULTILINE)
    assert verb is not None
    assert schema is not None
    given = json.loads(body)
    columns = ", ".join(f"{name} {TYPES[name]}" for name in given)
    named = ", ".join(f"{name} => given.{name}" for name in given)
    await conn.execute(SQL)
    await conn.execute("set local role chat_producer")
    (made,) = await conn.fetch(
        f"select called.* from json_to_record($1::json) as given ({columns}),"
        f" lateral {schema[1]}.{verb[1]}({named}) as called",
        body,
    )
    await conn.execute("reset role")
    (job,) = await conn.fetch("select task, payload::text, unique_key from holdfast.get_job($1)", made[0])
    assert (job[0], json.loads(job[1]), job[2]) == (given["task"], given["payload"], given["unique_key"])


async def test_the_verbs_of_the_page_are_granted_and_its_sweep_runs(conn: Connection) -> None:
    (verbs,) = re.findall(r"A worker calls (.*?) in the same way", TEXT)
    named = re.findall(r"`(\w+)`", verbs)
    await conn.execute(SQL)
    granted = await conn.fetch(
        "select distinct proname from pg_proc where pronamespace = 'holdfast'::regnamespace"
        " and proname = any ($1) and has_function_privilege('chat_worker', oid, 'execute')",
        named,
    )
    assert {row[0] for row in granted} == {*named} != set()
    (sweep,) = re.findall(r"`(select holdfast\.[^`]+)`", TEXT)
    await conn.execute(sweep)
