"""A worker process of the scenario in real time: python -m bench.flow.caller http://127.0.0.1:11500."""

import asyncio
import json
import sys
from urllib.request import Request, urlopen

from holdfast import Holdfast, JobContext, Worker
from holdfast.worker.shutdown.signals import stop_on_signals

MOST = 32
TIMEOUT = 20.0  # seconds


def make_app(server: str, database: str | None = None) -> Holdfast:
    app = Holdfast(database, name="bench")
    app.endpoint("model", max=MOST, estimate=500)

    @app.task(name="ask", endpoint="model", max_failures=3, retry={"base": 1, "cap": 20, "jitter": 0.3})
    def ask(question: str, job: JobContext) -> int:
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": question}]}).encode()
        with urlopen(Request(f"{server}/v1/chat/completions", body), timeout=TIMEOUT) as response:
            used: int = json.load(response)["usage"]["total_tokens"]
        job.units(used)
        return used

    return app


async def main(server: str) -> None:
    async with make_app(server) as app:
        worker = Worker(app, ["default"], slots=MOST)
        with stop_on_signals(worker):
            await worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
