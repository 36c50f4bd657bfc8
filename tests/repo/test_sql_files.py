"""One SQL function per file, named as the file, with its arrow on the first line."""

import re

from tests.repo.tree import name_of, sql_function_files

CREATES = re.compile(
    r"^create (?:or replace )?(?:function|procedure|view) (?:holdfast\.)?(\w+)", re.IGNORECASE | re.MULTILINE
)


def test_there_are_sql_function_files() -> None:
    assert sql_function_files()


def test_the_first_line_of_a_sql_file_says_what_it_does() -> None:
    silent = [
        name_of(path)
        for path in sql_function_files()
        if not re.match(r"-- \S.{8,}", path.read_text().split("\n")[0])
    ]
    assert silent == []


def test_a_sql_file_creates_what_its_name_says_and_nothing_else() -> None:
    created = {path: set(CREATES.findall(path.read_text())) for path in sql_function_files()}
    wrong = {name_of(path): sorted(names) for path, names in created.items() if names != {path.stem}}
    assert wrong == {}
