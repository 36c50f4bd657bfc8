"""A server that enqueues and works in one process; prints its port, then obeys signals as uvicorn does."""

import asyncio
import socket
import sys
from pathlib import Path
from uuid import UUID

import uvicorn
from fastapi import FastAPI

from holdfast import Holdfast

GATE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("gate")

app = Holdfast(name="serving")


@app.task(queue="mail")
async def greet(name: str) -> str:
    return f"Hello, {name}!"


@app.task(queue="slow")
async def pass_gate() -> str:
    while not GATE.exists():
        await asyncio.sleep(0.02)
    return "through"


server = FastAPI(lifespan=app.lifespan.with_worker(["mail", "slow"], slots=2, grace="20s"))


@server.post("/greet/{name}")
async def start_greeting(name: str) -> UUID:
    return (await greet.enqueue(name)).id


@server.post("/plain/{name}")
def start_greeting_in_a_thread(name: str) -> UUID:
    return greet.enqueue_sync(name).id


@server.post("/gate")
async def start_passing() -> UUID:
    return (await pass_gate.enqueue()).id


@server.get("/jobs/{job_id}")
async def state_of(job_id: UUID) -> str:
    return await app.job(job_id).status()


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(server, log_level="info")).run([listening])


if __name__ == "__main__":
    main()
