"""Without tracing no library is imported, and a job passes none of its code."""

import sys

import pytest

from holdfast import Holdfast, NotConfigured
from tests.docs.life_of_a_job import path_of_a_job
from tests.docs.page import run

PROGRAM = """
import asyncio, sys
from holdfast import Holdfast, JobContext, Worker

app = Holdfast(tracing={tracing})

@app.task(retry=[0])
async def hello(ctx: JobContext) -> int:
    if ctx.failures == 0:
        raise ValueError
    return await ctx.step("count", lambda: 1)

async def main() -> None:
    async with app:
        handle = await hello.enqueue()
        await hello.enqueue_many([hello.call()])
        await Worker(app, ["default"], drain=True).run()
        assert await handle.result() == 1

asyncio.run(main())
print("opentelemetry" in sys.modules)
"""


def printed(database_url: str, tracing: bool | None, **variables: str) -> str:
    return run(PROGRAM.format(tracing=tracing), database_url, **variables).stdout.strip()


@pytest.mark.slow
def test_a_program_without_tracing_never_imports_the_library(database_url: str) -> None:
    assert printed(database_url, None) == "False"
    assert printed(database_url, None, HOLDFAST_TRACING="0") == "False"
    assert printed(database_url, False, HOLDFAST_TRACING="1") == "False"


@pytest.mark.slow
def test_the_app_or_the_variable_switches_it_on_and_no_provider_is_needed(database_url: str) -> None:
    assert printed(database_url, True) == "True"
    assert printed(database_url, None, HOLDFAST_TRACING="1") == "True"


async def test_a_plain_job_passes_no_function_that_traces(database_url: str) -> None:
    path = await path_of_a_job(database_url)
    assert [
        function for function in path.functions if "trac" in str(function) or "otel" in str(function)
    ] == []


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "holdfast.telemetry.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(NotConfigured, match=r"(?s)opentelemetry-api.*holdfast-queue\[otel\]"):
        Holdfast(tracing=True)
    Holdfast()
