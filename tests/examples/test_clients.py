"""Clients in other languages: their jobs end exactly once, though they are killed."""

import asyncio
import json
import os
import random
import shlex
import shutil
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from tests.api.serving import served
from tests.builders import refusal
from tests.patience import PATIENCE
from tests.proof.needed import missing
from tests.repo.tree import ROOT

CLIENTS = ROOT / "examples" / "clients"
# As a person writes it: the README's, quoted for the shell.
((HANDLER,),) = (
    [word.removeprefix("HANDLER=") for word in shlex.split(line) if word.startswith("HANDLER=")]
    for line in (CLIENTS / "README.md").read_text().splitlines()
    if "HANDLER=" in line
)
JOBS = 1000
KILLS = 3
ENQUEUE = """
select count(*) from holdfast.enqueue_jobs(array['double'],
  array(select json_build_object('n', n) from generate_series(1, $1::integer) as n), '{"queue": "q"}')
"""
ENDS = """
select count(*) as ends, count(distinct id) as jobs, count(*) filter (where state = 'completed') as completed,
  count(*) filter (where (output ->> 'n')::integer is distinct from 2 * (payload ->> 'n')::integer) as wrong
from holdfast.job_view
"""
LEFT = "select count(*) from holdfast.jobs"


def tool(name: str) -> str:
    return shutil.which(name) or missing(f"{name} is not installed: apt-get install {name}")


@asynccontextmanager
async def serving(database_url: str, role: str = "worker") -> AsyncIterator[tuple[Holdfast, dict[str, str]]]:
    """The API on a port, and the environment of a client."""
    async with Holdfast(database_url, name="clients", pool_size=10) as app:
        key = await app.keys.create(role, role, queues=["q"])
        async with served(api_app(app, limits=Limits(rate=0))) as url:
            variables = {"API": url, "KEY": key.secret, "QUEUE": "q", "LEASE": "3", "HANDLER": HANDLER}
            yield app, {**os.environ, **variables}


async def start(environment: dict[str, str], *command: str) -> Process:
    return await asyncio.create_subprocess_exec(*command, env=environment, start_new_session=True)


async def count(app: Holdfast) -> int:
    (row,) = await app.database.fetch(LEFT)
    left: int = row[0]
    return left


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("client", ["worker.mjs", "worker.sh"])
async def test_a_thousand_jobs_end_exactly_once_though_workers_are_killed(
    database_url: str, client: str
) -> None:
    program = (tool("node"), str(CLIENTS / client))
    if client == "worker.sh":
        program = (tool("sh"), str(CLIENTS / client))
        tool("curl")
        tool("jq")
    choose = random.Random(client)
    async with serving(database_url) as (app, environment), asyncio.timeout(PATIENCE):
        await app.database.fetch(ENQUEUE, JOBS)
        workers = [await start(environment, *program) for _ in range(3)]
        kill_at = [JOBS * (KILLS - n) // (KILLS + 1) for n in range(KILLS)]
        while left := await count(app):
            if kill_at and left <= kill_at[0]:
                kill_at.pop(0)
                victim = workers.pop(choose.randrange(len(workers)))
                os.killpg(victim.pid, 9)
                await victim.wait()
                workers.append(await start(environment, *program))
            await app.database.execute("select holdfast.rescue_jobs(), holdfast.promote_jobs()")
            await asyncio.sleep(0.05)
        for worker in workers:
            worker.terminate()
        assert [await worker.wait() for worker in workers] == [0, 0, 0]
        (row,) = await app.database.fetch(ENDS)
        assert tuple(row) == (JOBS, JOBS, JOBS, 0)
        assert not await app.database.fetch("select * from holdfast.check_invariants()")
    assert not kill_at


async def test_a_producer_and_a_worker_in_the_style_of_edge_functions(database_url: str) -> None:
    node = tool("node")
    async with serving(database_url, "worker") as (app, environment):
        program = f"""
import producer from '{CLIENTS}/edge_producer.mjs'
import worker from '{CLIENTS}/edge_worker.mjs'
const post = (body) => new Request('http://here/', {{ method: 'POST', body: JSON.stringify(body) }})
const ask = (body) => producer(post(body))
const stored = []
for (const n of [4, 4, 'x']) stored.push(await ask({{ id: String(n), n }}))
const worked = await (await worker(new Request('http://here/'))).json()
console.log(JSON.stringify({{ statuses: stored.map((one) => one.status), worked }}))
"""
        process = await asyncio.create_subprocess_exec(
            node, "--input-type=module", "-e", program, env=environment, stdout=asyncio.subprocess.PIPE
        )
        said = json.loads((await process.communicate())[0])
        assert said == {"statuses": [201, 200, 201], "worked": {"success": True, "processed": 2}}
        outputs = {job.unique_key: job.output for job in await app.jobs(state="completed")}
        assert outputs == {"4": {"n": 8}, "x": {"n": None}}


async def test_verbs_are_called_with_named_json_arguments_under_a_role_that_may_do_nothing_else(
    conn: Connection,
) -> None:
    """The statement that PostgREST makes of POST /rpc/NAME, as its documentation describes it."""

    async def rpc(role: str, verb: str, types: dict[str, str], **arguments: Any) -> Any:
        named = ", ".join(f"{name} => given.{name}" for name in arguments)
        columns = ", ".join(f"{name} {types[name]}" for name in arguments)
        await conn.execute(f"set local role {role}")
        try:
            return await conn.fetch(
                f"select called.* from json_to_record($1::json) as given ({columns}),"
                f" lateral holdfast.{verb}({named}) as called",
                json.dumps(arguments),
            )
        finally:
            await conn.execute("reset role")

    types = {
        "task": "text", "payload": "json", "unique_key": "text", "worker": "uuid", "queues": "text[]",
        "info": "jsonb", "n": "integer", "ids": "uuid[]", "tokens": "uuid[]", "outputs": "json[]",
    }  # fmt: skip
    await conn.execute((CLIENTS / "postgrest.sql").read_text())
    enqueued = await rpc("chat_producer", "enqueue", types, task="t", payload={"a": 1}, unique_key="k")
    worker = "00000000-0000-4000-8000-000000000001"
    await rpc("chat_worker", "register_worker", types, worker=worker, queues=["default"], info={"lease": 60})
    (job,) = await rpc("chat_worker", "claim_jobs", types, worker=worker, n=1)
    assert job["job_id"] == enqueued[0][0]
    ended = {"ids": [str(job["job_id"])], "tokens": [str(job["token"])], "outputs": [{"b": 2}]}
    assert await rpc("chat_worker", "complete_jobs", types, **ended) == []
    for role, statement in (
        ("chat_producer", "select holdfast.claim_jobs(gen_random_uuid(), 1)"),
        ("chat_producer", "select * from holdfast.jobs"),
        ("chat_worker", "select * from holdfast.history"),
        ("chat_worker", "select holdfast.pause_queue('default')"),
    ):
        await conn.execute(f"set local role {role}")
        assert (await refusal(conn, statement)).sqlstate == "42501"
        await conn.execute("reset role")
