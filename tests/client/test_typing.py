"""A type checker sees through the decorator: right calls pass, wrong ones are errors."""

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]

PROGRAM = """
from typing import assert_type

from holdfast import Holdfast, JobContext, JobHandle

app = Holdfast()


@app.task(queue="mail", retry=["1m", "5m"])
async def greet(name: str, times: int = 1) -> str:
    return name * times


@app.task()
def plain(n: int) -> bool:
    return n > 0


@app.task()
async def with_context(job: JobContext, n: int) -> None: ...


async def good() -> None:
    handle = await greet.enqueue("Ada", times=2)
    assert_type(handle, JobHandle[str])
    assert_type(await handle.result(timeout="5s"), str)
    assert_type(await (await plain.enqueue(n=3)).result(), bool)
    assert_type(plain.enqueue_sync(3), JobHandle[bool])
    assert_type(plain.enqueue_many_sync([plain.call(3)]), list[JobHandle[bool]])
    assert_type(plain.using(object()).enqueue_sync(3), JobHandle[bool])
    await with_context.enqueue(3)
    await greet.options(priority=3, delay="5m").enqueue(name="Ada")
    await greet.enqueue_many([greet.call("Ada"), greet.options(unique_key="k").call("Grace")])
    async with app.run("names", on_complete=plain.call(1)) as run:
        await greet.options(run=run).enqueue("Ada")


async def bad() -> None:
    await greet.enqueue(3)  # wrong
    await greet.enqueue()  # wrong
    await greet.enqueue("Ada", tmes=2)  # wrong
    plain.call("three")  # wrong
    await with_context.enqueue("three")  # wrong
    greet.options(prioriti=3)  # wrong
    greet.options(delay=object())  # wrong
    await greet.enqueue_many([plain.call(3)])  # wrong
    app.queue("mail", wait="5m")  # wrong
    app.task(queue=3)  # wrong
"""


@pytest.mark.slow
def test_mypy_accepts_right_calls_and_finds_every_wrong_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    cache = Path(tempfile.gettempdir()) / f"holdfast-mypy-{os.getuid()}-{sys.version_info.minor}"
    config = ROOT / "pyproject.toml"
    arguments = ["--config-file", str(config), "--cache-dir", str(cache), "--no-error-summary", str(program)]
    output, errors, _ = api.run(arguments)
    assert errors == ""
    found = {int(line) for line in re.findall(r"program\.py:(\d+): error", output)}
    wrong = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
    assert found == wrong, output
