"""One word for one thing: what GLOSSARY.md names has no second name among the identifiers of Python and SQL.

Prose is free to use the names that readers know from elsewhere.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.repo.tree import ROOT, name_of, repository_files

# What others say -> our word for it.
FORBIDDEN = {
    r"(?:work|queue|queued)_?items?|queue_?messages?|sub_?(?:task|job)s?": "job",
    r"job_?types?": "task",
    r"dead_?letter_?queues?|dlq": "dead letter",
    r"max_?retries|max_?attempts|retry_?counts?|error_?counts?|retries_?left": "failure",
    r"visibility_?timeouts?|job_?locks?|locked_(?:by|until|at)": "lease",
    r"(?:lock|lease|ownership)_?tokens?": "token",
    r"time_?limits?|ttl": "timeout",
    r"de_?queue[ds]?|dequeuing|grab(?:s|bed)?": "claim",
    r"n?ack(?:s|ed)?|acknowledge[ds]?": "end",
    r"re_?queue[ds]?|re_?enqueue[ds]?|re_?submit(?:s|ted)?": "replay",
    r"dedup(?:e|lication)?(?:_?keys?)?": "unique key",
    r"semaphores?": "permit",
    r"consumers?": "worker",
    r"topics?|brokers?": "queue",
    r"workflows?": "run",
    r"purges?|purged|archived?|archives": "history",
    r"tags?|tagged": "label",
}

# Where such a word is not about one of our things.
ALLOWED = {
    "bench/peers/": "",  # other systems have their own words
    "src/holdfast/testing/": "tag",  # a model server's list of models
    "src/holdfast/model/describe_value.py": "tag",  # pydantic's word for the kind of a union's member
    "src/holdfast/telemetry/tracer.py": "consumer",  # OpenTelemetry's kind of a span
    "examples/": "topic archive tag workflow",  # what the apps of the examples are about
    "tests/": "topic archive tag",
}
SQL_COMMENT_OR_LITERAL = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\$re\$.*?\$re\$", re.DOTALL)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
TEXTS = {".py", ".sql", ".md"}


def test_nothing_has_a_second_name() -> None:
    found = sorted(
        {
            f"{name_of(path)}: say {ours}, not {name}"
            for path in repository_files()
            for name in identifiers(path)
            for theirs, ours in synonyms(name)
            if not is_allowed(name_of(path), theirs)
        }
    )
    assert found == []


def test_what_is_said_instead_is_in_the_glossary() -> None:
    assert set(FORBIDDEN.values()) <= glossary()


def test_every_word_of_the_glossary_is_used() -> None:
    source = "\n".join(
        path.read_text() for path in repository_files() if path.suffix in TEXTS and path.parent != ROOT
    ).lower()
    assert [word for word in glossary() if not re.search(word.replace(" ", "[ _-]"), source)] == []


@pytest.mark.parametrize(
    ("planted", "ours"),
    [
        ("give_queue_item_back", "job"),
        ("max_retries", "failure"),
        ("VisibilityTimeout", "lease"),
        ("requeue_job", "replay"),
        ("DLQ", "dead letter"),
        ("job_consumer", "worker"),
    ],
)
def test_a_second_name_would_be_found(planted: str, ours: str) -> None:
    in_python = python_names(f"def {planted}() -> None: ...")
    in_sql = sql_names(f"create function holdfast.{planted}()")
    assert [word for name in in_python for _, word in synonyms(name)] == [ours]
    assert [word for name in in_sql for _, word in synonyms(name)] == [ours]


@pytest.mark.parametrize("name", ["worker", "hack", "package", "stage", "claim_jobs", "back", "percentage"])
def test_a_name_of_ours_is_not_taken_for_one(name: str) -> None:
    assert synonyms(name) == []


def test_prose_and_names_of_other_libraries_are_free() -> None:
    program = '"""A DLQ."""\nlimit = asyncio.Semaphore(3)  # the visibility timeout\n'
    assert list(python_names(program)) == ["limit"]
    assert sql_names("-- the DLQ\nselect 'consumer';") == ["select"]


def identifiers(path: Path) -> Iterable[str]:
    match path.suffix:
        case ".py":
            return python_names(path.read_text())
        case ".sql":
            return sql_names(path.read_text())
        case _:
            return ()


def python_names(program: str) -> Iterator[str]:
    """Those that it defines; what it uses of other libraries has their names."""
    for node in ast.walk(ast.parse(program)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield name
            case _:
                pass


def sql_names(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", SQL_COMMENT_OR_LITERAL.sub(" ", text))


@cache  # most names stand in many places
def synonyms(name: str) -> list[tuple[str, str]]:
    """The forbidden parts of a name, each with our word."""
    snake = CAMEL.sub("_", name)
    return [
        (match[0], ours)
        for pattern, ours in FORBIDDEN.items()
        for match in re.finditer(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])", snake, re.IGNORECASE)
    ]


def is_allowed(name: str, word: str) -> bool:
    for place, words in ALLOWED.items():
        if name.startswith(place):
            return not words or any(word.lower().startswith(one) for one in words.split())
    return False


def glossary() -> set[str]:
    return set(re.findall(r"^\| \*\*([\w -]+)\*\* \|", (ROOT / "GLOSSARY.md").read_text(), re.MULTILINE))
