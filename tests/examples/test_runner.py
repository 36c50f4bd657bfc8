"""`./dev example`: one verdict, one line and one exit code, which always agree; everything is removed."""

import asyncio
import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from urllib.request import urlopen

import asyncpg
import pytest

from examples import __main__ as runner
from examples.display import Display
from examples.options import Options
from examples.verdict import Check, Verdict
from tests.patience import PATIENCE

GOOD = Check("every job ended once", True, "40 of 40")
BAD = Check("each reply was sent once", False, "1 query has 2 replies")
seen: list[Options] = []


class Stub(ModuleType):
    """Counts tables in its database, and fails if a fault is planted.\n\nMore is not listed."""

    FAULTS = ("delete-row",)

    @staticmethod
    async def main(options: Options) -> Verdict:
        seen.append(options)
        connection = await asyncpg.connect(options.database_url)
        try:
            assert await connection.fetchval("select count(*) from holdfast.jobs") == 0
        finally:
            await connection.close()
        return Verdict([GOOD, BAD if options.plant else GOOD])


@pytest.fixture(autouse=True)
def one_stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "examples", lambda: {"a-stub": Stub("a_stub", Stub.__doc__)})


def test_the_line_and_the_exit_code_come_from_the_same_checks() -> None:
    for checks in ([GOOD], [GOOD, BAD], [BAD], []):
        verdict = Verdict(checks)
        assert (verdict.exit_code == 0) == verdict.passed == (": passed, " in verdict.line("x", 1))
        assert verdict.document("x", 1)["passed"] is verdict.passed


def test_a_failed_verdict_names_each_failed_check() -> None:
    other = Check("nothing was lost", False, "1 lost")
    line = Verdict([GOOD, BAD, other]).line("x", 2)
    assert line == "x: FAILED, 2 of 3 checks: each reply was sent once; nothing was lost"


def test_a_verdict_without_checks_fails() -> None:
    assert Verdict([]).line("x", 2) == "x: FAILED, 0 of 0 checks: no checks were made"
    assert Verdict([]).exit_code == 1


def test_without_a_name_the_examples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main([]) == 0
    name, text = capsys.readouterr().out.split(maxsplit=1)
    assert (name, text) == ("a-stub", "Counts tables in its database, and fails if a fault is planted.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [
        (["a-stub", "--full"], 0, "a-stub: passed, 2 checks, "),
        (["a-stub", "--plant", "delete-row"], 1, "a-stub: FAILED, 1 of 2 checks: each reply was sent once"),
    ],
)
def test_an_example_runs_on_a_database_of_its_own_and_leaves_nothing(
    arguments: list[str], code: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner.main(arguments) == code
    assert capsys.readouterr().out.splitlines()[-1].startswith(last)
    options = seen.pop()
    assert options.full == ("--full" in arguments)
    assert not Path(options.directory).exists()


@pytest.mark.slow
def test_the_verdict_as_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["a-stub", "--json", "--plant", "delete-row"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["example"], document["passed"]) == ("a-stub", False)
    assert document["checks"][1] == {
        "name": "each reply was sent once",
        "passed": False,
        "found": BAD.found,
    }


@pytest.mark.parametrize("wrong", [["another"], ["a-stub", "--plant", "rain"], ["a-stub", "--fast"]])
def test_wrong_usage_exits_with_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        runner.main(wrong)
    assert exit_.value.code == 2
    assert capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "code", "word"),
    [(KeyboardInterrupt, 130, "interrupted"), (RuntimeError, 1, "FAILED, it stopped with RuntimeError")],
)
def test_an_example_that_is_stopped_says_so_and_leaves_nothing(
    error: Callable[[], BaseException],
    code: int,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def stop(options: Options) -> Verdict:
        seen.append(options)
        raise error()

    monkeypatch.setattr(Stub, "main", staticmethod(stop))
    assert runner.main(["a-stub"]) == code
    assert word in capsys.readouterr().err
    assert not Path(seen.pop().directory).exists()


@pytest.mark.slow
def test_kept_it_stays_in_the_dashboard_until_a_signal_comes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    def say(_: Display, text: str) -> None:
        said.append(text)
        if "stays at" in text:
            (address,) = re.findall(r"http://\S+", text)
            assert "Holdfast" in urlopen(address, timeout=PATIENCE).read().decode()
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Display, "say", say)
    assert runner.main(["a-stub", "--keep", "--plant", "delete-row"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "a-stub: FAILED, 1 of 2 checks: each reply was sent once"
    )
    assert any("watch it in a browser" in text for text in said)
    assert not seen[-1].directory.exists()
