"""Only the database's clock decides: what runs in a worker does not read the clock of its host.

`time.monotonic` is no such clock: it measures how long something takes, and nobody can set it.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.repo.tree import ROOT

SOURCE = ROOT / "src" / "holdfast"
PACKAGES = ("worker", "model", "pipeline", "agent", "maintenance", "db")
CLOCKS = {
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime", "clock_gettime"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
}
ALLOWED = {
    "model/retry_after_header.py: datetime.now": "a date, in an answer that breaks HTTP by having no Date of "
    "its own to compare it with: that wait is as wrong as the host's clock, an hour at most",
}


def test_no_code_of_a_worker_reads_the_clock_of_its_host() -> None:
    found = {
        f"{file.relative_to(SOURCE)}: {clock}"
        for package in PACKAGES
        for file in (SOURCE / package).rglob("*.py")
        for clock in clocks_in(file.read_text())
    }
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.time()",
        "from time import time\ntime()",
        "from time import time as now\nnow()",
        "import datetime\ndatetime.datetime.now()",
        "from datetime import datetime, UTC\ndatetime.now(UTC)",
        "from datetime import date\ndate.today()",
        "from datetime import datetime as d\nd.now()",
        "import datetime as d\nclock = d.datetime.utcnow",
    ],
)
def test_a_clock_is_found_however_it_is_named(source: str) -> None:
    assert [*clocks_in(source)]


def test_what_measures_a_duration_is_no_clock() -> None:
    assert [*clocks_in("from time import monotonic\nimport time\nmonotonic()\ntime.perf_counter()")] == []


def clocks_in(source: str) -> Iterator[str]:
    """Every mention counts, called or not: a clock that is handed on is read, too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            yield from (f"time.{one.name}" for one in node.names if one.name in CLOCKS["time"])
        elif isinstance(node, ast.ImportFrom) and node.module == "datetime":
            yield from (f"{one.name} as {one.asname}" for one in node.names if one.asname)
        elif isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if node.attr in CLOCKS.get(name, set()):
                yield f"{name}.{node.attr}"
