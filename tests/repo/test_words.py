"""One word for one thing: what GLOSSARY.md names has no second name in code, SQL or documentation."""

import re
from collections.abc import Iterator

import pytest

from tests.repo.tree import ROOT, name_of, repository_files

# What others say -> our word for it.
FORBIDDEN = {
    r"(?:work|queue|queued)[_ -]items?|queue[_ ]messages?|sub-?(?:task|job)s?": "job",
    r"job[_ ]types?": "task",
    r"dead[-_ ]letter[-_ ]queues?|DLQ": "dead letter",
    r"max_?retries|max_?attempts|retry[_ ]counts?|error[_ ]counts?|retries[_ ]left": "failure",
    r"visibility[_ ]timeouts?|job[_ ]locks?|locked_(?:by|until|at)": "lease",
    r"(?:lock|lease|ownership)[_ ]tokens?": "token",
    r"time[_ ]limits?|ttl": "timeout",
    r"de-?queue[ds]?|dequeuing|grab(?:s|bed)?": "claim",
    r"n?ack(?:s|ed)?|acknowledge[ds]?": "end",
    r"re-?queue[ds]?|re-?enqueue[ds]?|re-?submit(?:s|ted)?": "replay",
    r"dedup(?:e|lication)?(?:[_ ]keys?)?": "unique key",
    r"semaphores?": "permit",
    r"consumers?": "worker",
    r"topics?|brokers?": "queue",
    r"workflows?": "run",
    r"purges?|purged|archived?|archives": "history",
    r"tags?|tagged": "label",
}

# Where such a word is not about one of our things.
ALLOWED = {
    "tests/repo/test_words.py": "",
    "bench/peers/": "",  # other systems have their own words
    "src/holdfast/testing/model_server/": "tag",  # a model server's list of models
    "src/holdfast/model/described.py": "tag",  # pydantic's name for what tells the members of a union apart
    "src/holdfast/sql/base/sanitise_text.sql": "consumer",  # a consumer key is a secret of OAuth
    "docs/guides/": "topic archive",  # what the apps of the examples are about
    "examples/": "topic archive tag workflow",
    "tests/": "topic archive tag",
}
TEXTS = {".py", ".sql", ".md"}


def test_nothing_has_a_second_name() -> None:
    found = [
        f"{name_of(path)}: say {ours}, not {theirs}"
        for path in repository_files()
        if path.suffix in TEXTS
        for theirs, ours in synonyms(path.read_text())
        if not is_allowed(name_of(path), theirs)
    ]
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
        ("-- Gives the queue item back.", "job"),
        ("max_retries = 5", "failure"),
        ("The visibility timeout is renewed.", "lease"),
        ("def requeue_job() -> None: ...", "replay"),
        ("It goes to the DLQ.", "dead letter"),
        ("A consumer dequeues.", "worker"),
    ],
)
def test_a_second_name_would_be_found(planted: str, ours: str) -> None:
    assert ours in [word for _, word in synonyms(planted)]
    assert list(synonyms("A worker claims jobs from a queue; stages, hacks and packages are no harm.")) == []


def synonyms(text: str) -> Iterator[tuple[str, str]]:
    """Each with our word; in a name with underscores, too."""
    for pattern, ours in FORBIDDEN.items():
        for match in re.finditer(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])", text, re.IGNORECASE):
            yield match[0], ours


def is_allowed(name: str, word: str) -> bool:
    for place, words in ALLOWED.items():
        if name.startswith(place):
            return not words or any(word.lower().startswith(one) for one in words.split())
    return False


def glossary() -> set[str]:
    return set(re.findall(r"^\| \*\*([\w -]+)\*\* \|", (ROOT / "GLOSSARY.md").read_text(), re.MULTILINE))
