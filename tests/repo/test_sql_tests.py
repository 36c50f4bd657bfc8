"""Every SQL verb has tests of its own, in tests/sql/test_<verb>.py or in the folder tests/sql/<verb>/."""

import re

from tests.repo.tree import ROOT, sql_function_files

TESTS = ROOT / "tests" / "sql"
VERB = re.compile(r"\bsecurity definer\b", re.IGNORECASE)
TEST = re.compile(r"^(?:async )?def test_\w+", re.MULTILINE)


def test_every_verb_has_a_test() -> None:
    found = verbs()
    assert found, "a verb runs with its owner's rights: is that said in another way now?"
    assert [verb for verb in found if not has_test(verb)] == []


def verbs() -> list[str]:
    return sorted(path.stem for path in sql_function_files() if VERB.search(path.read_text()))


def test_a_folder_holds_more_than_one_file() -> None:
    folders = [path for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert [folder.name for folder in folders if len(list(folder.glob("*.py"))) == 1] == []


def has_test(verb: str) -> bool:
    files = [TESTS / f"test_{verb}.py", *(TESTS / verb).glob("test_*.py")]
    return any(TEST.search(path.read_text()) for path in files if path.exists())
