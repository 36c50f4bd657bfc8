"""Small files and small functions, with every exception named and justified here."""

import ast
from collections.abc import Iterator
from functools import cache
from statistics import median

from tests.repo.tree import name_of, python_files, sql_function_files

PYTHON_FILE_LINES = 300
PYTHON_FUNCTION_LINES = 40
SQL_FUNCTION_LINES = 80
MEDIAN_FUNCTION_LINES = 8

# "path" or "path::function" -> why it is better long than split.
EXCEPTIONS: dict[str, str] = {
    "src/holdfast/sql/job/settle_and_claim.sql": "one claim, for any job and for a chosen one",
    "src/holdfast/api/app.py::api_app": "the list of the routers, one line each",
    "src/holdfast/worker/worker.py::__init__": "an argument for each option of a worker",
    "src/holdfast/client/app.py": "what a program does with Holdfast, a method each",
    "src/holdfast/client/app.py::task": "an argument for each option of a task",
    "src/holdfast/cli/jobs/enqueue.py::enqueue": "an argument for each option of a job",
    "src/holdfast/cli/serve.py::serve": "an argument for each option of the server",
    "src/holdfast/cli/up/command.py::up": "an argument for each option of the command",
    "src/holdfast/model/report.py": "a type for each part of a report, with its figures",
    "src/holdfast/client/doctor_checks.py": "a function for each of doctor's checks, in their order",
    "src/holdfast/cli/frame/command_list.py": "a line for each command",
    "chaos/fault_proxy.py": "one proxy with all of its faults, to be read as one",
    "src/holdfast/sql/job/parts/insert_jobs.sql": "the one INSERT of a job, with a value for each column",
    "src/holdfast/sql/read/explain.sql": "each reason why a job does not run, one after the other",
    "src/holdfast/sql/read/timeline.sql": "each kind of entry, one after the other",
    "src/holdfast/sql/worker/lane_blockers.sql": "each condition of the claim, one after the other",
    "src/holdfast/sql/read/end_stats.sql": "one query with a column for each figure",
    "src/holdfast/sql/rule/parts/judge_jobs.sql": "one statement that judges all jobs of a call",
    "src/holdfast/sql/statistics/parts/summarise_minutes.sql": "one statement with each figure of a minute",
    "tests/proof/findings.py": "a row for each finding",
    "tests/machine/model.py": "every verb of the engine in one place, to be read beside the SQL",
}


def test_files_and_functions_stay_small_unless_an_exception_says_why() -> None:
    too_long = {subject: lines for subject, lines in oversized().items() if subject not in EXCEPTIONS}
    assert not too_long, "split these, or add them to EXCEPTIONS with a reason"


def test_every_exception_is_still_needed_and_has_a_reason() -> None:
    assert EXCEPTIONS.keys() - oversized().keys() == set(), (
        "these are small or gone: drop them from EXCEPTIONS"
    )
    assert all(len(reason) > 10 for reason in EXCEPTIONS.values())


def test_half_of_the_functions_of_the_package_are_short() -> None:
    lengths = {subject: lines for subject, lines in functions() if subject.startswith("src/")}
    assert lengths, "no functions found in src"
    longest = sorted(lengths, key=lengths.__getitem__, reverse=True)[:10]
    assert median(lengths.values()) <= MEDIAN_FUNCTION_LINES, f"the longest are {longest}"


@cache
def oversized() -> dict[str, int]:
    found = {name: lines for name, lines in files() if lines > PYTHON_FILE_LINES}
    found |= {name: lines for name, lines in functions() if lines > PYTHON_FUNCTION_LINES}
    found |= {name: lines for name, lines in sql_functions() if lines > SQL_FUNCTION_LINES}
    return found


def files() -> Iterator[tuple[str, int]]:
    for path in python_files():
        yield name_of(path), len(path.read_text().splitlines())


def sql_functions() -> Iterator[tuple[str, int]]:
    for path in sql_function_files():
        yield name_of(path), len(path.read_text().splitlines())


@cache
def functions() -> tuple[tuple[str, int], ...]:
    return tuple(
        (f"{name_of(path)}::{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
