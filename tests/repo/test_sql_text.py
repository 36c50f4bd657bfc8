"""Only `holdfast.db` sends SQL, so only its files, and the testing kit for users, contain SQL text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.tree import ROOT, name_of, python_files

PACKAGE = ROOT / "src" / "holdfast"
# The page of a job shows statements that people copy; it sends none.
SHOWS_SQL = "src/holdfast/dashboard/job/snippets.py"
SPEAKS_SQL = (*(f"src/holdfast/{folder}/" for folder in ("db", "testing")), SHOWS_SQL)

STATEMENT = re.compile(
    r"\bselect\s+(\S+\s+)*?from\s|\bselect\s+[\w.]+\(|\bselect\s+\*|\binsert\s+into\s|\bdelete\s+from\s"
    r"|\bupdate\s+[\w.]+\s+set\s|\b(alter|create|drop)\s+(table|function|index|view|schema|role)\s"
    r"|\bwith\s+\w+\s+as\s+(materialized\s+)?\(|\bset\s+(local|session)\s|\breindex\s+(index|table)\s"
    r"|^\s*(begin|commit|rollback|(un)?listen\s+\S+|notify\s+\S+|reset\s+\S+)\s*;?\s*$",
    re.IGNORECASE,
)


def test_only_the_database_layer_and_the_testing_kit_contain_sql() -> None:
    found = [
        f"{name_of(path)}:{line}: {text}"
        for path in python_files()
        if path.is_relative_to(PACKAGE) and not name_of(path).startswith(SPEAKS_SQL)
        for line, text in statements(path)
    ]
    assert not found, "move these statements into src/holdfast/db:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "select holdfast.now()",
        "select id from holdfast.jobs",
        "with found as materialized (select 1) select * from found",
        "update holdfast.jobs set priority = 1",
        "delete from holdfast.function_set",
        "alter table holdfast.jobs set (fillfactor = 70)",
        "set local lock_timeout = '1s'",
        "listen holdfast_ready",
        "rollback",
    ],
)
def test_a_statement_is_recognised(text: str) -> None:
    assert STATEMENT.search(text)


@pytest.mark.parametrize(
    "text", ["select the jobs to show", "q quit, arrows select", "update it from there", "with a time box"]
)
def test_a_sentence_is_not_taken_for_a_statement(text: str) -> None:
    assert not STATEMENT.search(text)


def statements(path: Path) -> Iterator[tuple[int, str]]:
    """In string literals that are no docstrings; what an f-string puts in counts as a name."""
    tree = ast.parse(path.read_text())
    docstrings = {id(one) for node in ast.walk(tree) for one in _docstring(node)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in docstrings or id(node) in inside:
            continue
        text = _text(node)
        if text is not None and STATEMENT.search(text):
            yield getattr(node, "lineno", 0), " ".join(text.split())[:80]


def _docstring(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr):
            yield first.value


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return None
