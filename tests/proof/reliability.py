"""Writes docs/reliability.md: `python -m tests.proof.reliability` after a change of what it is made from."""

from collections.abc import Iterable, Iterator

from holdfast.db.sql_header import read_header
from tests.proof.findings import FINDINGS
from tests.proof.promises import PROMISES
from tests.proof.registry import FAULTS, Line
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "reliability.md"
LONG_RUNS = ROOT / "docs" / "long-runs"
INVARIANTS = ROOT / "src" / "holdfast" / "sql" / "invariant"

INTRO = """\
# Guarantees, and the tests behind them

`python -m tests.proof.reliability` generates this page; a test keeps it up to date. Tests are named by their
path below `tests/`; `chaos:NAME` is a fault of `./dev chaos`.

- `./dev test tests/proof` plants every violation, searches the lease protocol exhaustively, and runs a minute
  of chaos; `--all` adds failover.
- `./dev chaos --seed N --minutes M --faults a,b --workers K` injects faults for longer; it saves a schedule
  that failed, and `--replay FILE` repeats it. `--seeds 10` splits the time over ten seeds and sums them up.
  `--jobs 1000000 --workers 4 --kill-every 10` counts ends instead, `--soak HOURS` watches for leaks,
  `--machine` compares all verbs with a model. `--report FILE` keeps the figures; those in `docs/long-runs/`
  are on this page.
- `holdfast doctor --invariants` checks your database for violations, in the newest 10,000 rows of each kind.
- Versions: the whole suite runs on PostgreSQL 18, which is embedded. `./dev test --postgres N` runs the tests
  of SQL, races, migrations, the machine, workers and these proofs on 14, 15, 16, 17 or 18; every change runs
  those of SQL, migrations and the machine on 15, the oldest that is supported.
- L is the lease (default 30 s); S is the sweep interval of every worker (5 s).
- Two proofs need more than Python: pgbouncer, and root for the full disk. Without them these are skipped;
  with `CI=true` in the environment they fail instead.
"""
PLANTED = """\
`tests/proof/test_planting.py` plants each violation and checks that it is found. Each is a row of the view
`holdfast.invariants`, except for those named `stuck_`: without a worker, jobs may well stand still. Ask for
them with `holdfast.check_invariants(newest, settled)` after the maintenance tasks have run, as every
chaos run does.
"""
COUNTED = """\
The recovery time of a killed worker is measured from its death until all its jobs were available again; that
of any other fault from the end of the fault to the next end of a job. The line about dead workers measures
the guarantee: from the death, or, if no worker could rescue (the database was down, every other worker was
cut off, stopped or not yet started), two sweeps from the end of that time, as if the lease had expired then.
A longer recovery is `late` and fails the run.
"""


def page() -> str:
    return "\n".join(
        [
            INTRO,
            "## Promises\n",
            *_table(("promise", "what it says", "proved by", "not shown yet"), PROMISES),
            "\n## Faults\n",
            *_table(("fault", "expected", "proved by", "not shown yet"), FAULTS),
            "\n## Invariants\n",
            PLANTED,
            *(f"- `{name}`: {said}" for name, said in sorted(invariants())),
            "\n## Findings\n",
            *_table(("problem found", "fix", "regression test", "not shown yet"), FINDINGS),
            "\n## The last long runs\n",
            COUNTED,
            *_run("Chaos", "chaos.txt"),
            *_run("Counted ends", "count.txt"),
            *_run("Soak", "soak.txt"),
        ]
    )


def _run(title: str, file: str) -> Iterator[str]:
    yield f"### {title}\n"
    yield f"```\n{(LONG_RUNS / file).read_text().rstrip()}\n```\n"


def _table(titles: tuple[str, ...], lines: Iterable[Line]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for line in lines:
        proofs = "<br>".join(f"`{proof}`" for proof in line.proofs)
        yield f"| {line.what} | {line.expected} | {proofs} | {line.gap} |"


def invariants() -> Iterator[tuple[str, str]]:
    """The names that the SQL files give to violations, and what the file says they violate."""
    for file in INVARIANTS.glob("*.sql"):
        text = file.read_text()
        header = read_header(text)
        said = " ".join(header.lines).removeprefix("Violations of: ") if header else ""
        for line in text.splitlines():
            if line.strip().startswith("select '"):
                yield line.split("'")[1], said


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
