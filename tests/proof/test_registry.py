"""Every promise and every line of the fault table names proofs that exist, and the documentation says so."""

import ast
from functools import cache

import pytest

from chaos.faults import FAULTS as CHAOS
from tests.proof.findings import FINDINGS
from tests.proof.promises import PROMISES
from tests.proof.registry import FAULTS, Line
from tests.proof.reliability import PAGE, page
from tests.repo.tree import ROOT


@pytest.mark.parametrize("line", [*PROMISES, *FAULTS, *FINDINGS], ids=lambda line: line.what[:40])
def test_every_line_names_proofs_that_exist(line: Line) -> None:
    assert line.proofs
    assert [proof for proof in line.proofs if not exists(proof)] == []


def test_every_fault_of_chaos_stands_in_the_table() -> None:
    named = {
        proof.removeprefix("chaos:") for line in FAULTS for proof in line.proofs if proof.startswith("chaos:")
    }
    assert named == set(CHAOS)


def test_there_are_sixteen_promises() -> None:
    assert [line.what for line in PROMISES] == [f"P{number}" for number in range(1, 17)]


def test_the_page_is_what_the_registry_says() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.proof.reliability"


def test_a_proof_that_is_gone_is_noticed() -> None:
    assert not exists("proof/test_registry.py::test_that_nobody_wrote")
    assert not exists("chaos:flood")


def exists(proof: str) -> bool:
    if proof.startswith("chaos:"):
        return proof.removeprefix("chaos:") in CHAOS
    path, _, name = proof.partition("::")
    return name in functions_in(path)


@cache
def functions_in(path: str) -> set[str]:
    file = ROOT / "tests" / path
    tree = ast.parse(file.read_text()) if file.is_file() else ast.Module([], [])
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
