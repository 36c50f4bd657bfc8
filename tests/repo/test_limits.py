"""No test fails because the machine is busy: what it waits for has `PATIENCE`, and nothing less."""

import ast
from collections.abc import Iterator

from tests.patience import PATIENCE
from tests.repo.tree import ROOT

# By the name of the function, the place of the limit among its arguments.
WAITS = {"timeout": 0, "wait_for": 1, "wait": 0, "join": 0, "communicate": 1}
KEYWORDS = {"timeout", "within", "seconds"}
RUNS = {
    "run",
    "check_output",
    "check_call",
    "urlopen",
    "open",
    "HTTPConnection",
    "wait_procs",
    "until",
    "ended",
}


def test_a_limit_that_must_not_be_reached_is_patience() -> None:
    """One below a second is meant to be reached; one above `PATIENCE` belongs to a test that takes long."""
    short = [
        f"{path.relative_to(ROOT)}:{line} waits {limit:g} s"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line, limit in limits(ast.parse(path.read_text()))
        if 1 <= limit < PATIENCE
    ]
    assert short == []


def test_the_check_sees_limits_of_every_kind() -> None:
    code = """
asyncio.timeout(10)
asyncio.wait_for(heard.get(), 5)
process.communicate(timeout=30)
thread.join(3)
subprocess.run(command, timeout=60)
ctx.cancelled.wait(PATIENCE)
app.task(timeout=60)
"""
    assert [*limits(ast.parse(code))] == [(2, 10), (3, 5), (4, 30), (5, 3), (6, 60)]


def limits(tree: ast.AST) -> Iterator[tuple[int, float]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for value in given(node):
                if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
                    yield node.lineno, value.value


def given(call: ast.Call) -> Iterator[ast.expr]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in WAITS and name not in RUNS:
        return
    place = WAITS.get(name)
    if place is not None and len(call.args) > place:
        yield call.args[place]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in KEYWORDS)
