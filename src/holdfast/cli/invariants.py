"""`holdfast doctor --invariants`: what must hold in every database, and does not hold in this one."""

from dataclasses import dataclass

import typer

from holdfast.cli.output import write
from holdfast.cli.render import print_json, print_table
from holdfast.cli.session import with_database
from holdfast.db.invariants import check_invariants
from holdfast.model.invariant import Violation


@dataclass(frozen=True, slots=True)
class Soundness:
    ok: bool
    violations: list[Violation]


def report_violations(context: typer.Context, newest: int, as_json: bool) -> None:
    """Exits 1 if there is one."""
    found = with_database(context, lambda database: check_invariants(database, newest))
    if as_json:
        print_json(Soundness(not found, found))
    else:
        _print(found, newest)
    if found:
        raise typer.Exit(1)


def _print(found: list[Violation], newest: int) -> None:
    if not found:
        write(f"No invariant is violated among the newest {newest} jobs, runs and events.")
        return
    print_table(
        ("violation", "job", "detail"), ((one.name, one.job, one.detail) for one in found), keep=("job",)
    )
    write("\nThis is a defect of Holdfast, or somebody changed its tables: keep a dump, and report it.")
