"""Every SQL verb has tests of its own, where one looks for them: tests/sql/<function>/."""

import re
from pathlib import Path

from tests.repo.tree import ROOT, sql_function_files

VERB = re.compile(r"\bsecurity definer\b", re.IGNORECASE)
TEST = re.compile(r"^(?:async )?def test_\w+", re.MULTILINE)


def test_every_verb_has_a_folder_with_a_test() -> None:
    found = verbs()
    assert found, "a verb runs with its owner's rights: is that said in another way now?"
    assert [verb for verb in found if not has_test(ROOT / "tests" / "sql" / verb)] == []


def verbs() -> list[str]:
    return sorted(path.stem for path in sql_function_files() if VERB.search(path.read_text()))


def has_test(folder: Path) -> bool:
    return any(TEST.search(path.read_text()) for path in folder.glob("test_*.py"))
