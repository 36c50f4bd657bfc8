"""Peers in `mixed`: what their jobs are given, and what happens to one that breaks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bench.peers.environment import POSTGRES_PEERS
from bench.peers.script import FEATURES, options, priorities, unique_keys
from bench.result import OURS, Results
from bench.stores import Stores
from bench.suites.mixed import SHARED, _bulks
from bench.system import System, SystemFailed
from tests.bench.broken import system

JOBS = 7
STORED = f"print('{json.dumps({'seconds': 0.5, 'left': JOBS})}')"


class Nowhere(Stores):
    """Gives every system its own script's directory."""

    @contextmanager
    def fresh(self, system: System) -> Iterator[str]:
        yield str(system.script.parent)


def test_each_job_of_a_bulk_gets_the_features_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FEATURES, "priorities unique")
    assert priorities(6) == [10, 30, 50, 70, 90, 10]
    assert unique_keys(2) == ["key-0", "key-1"]
    given = options(2, priority="urgency", unique_key="lock")
    assert given == [{"urgency": 10, "lock": "key-0"}, {"urgency": 30, "lock": "key-1"}]
    monkeypatch.setenv(FEATURES, "unique")
    assert options(1, priority="urgency", unique_key="lock") == [{"lock": "key-0"}]
    monkeypatch.delenv(FEATURES)
    assert (priorities(2), unique_keys(2)) == (None, None)
    assert options(2, priority="urgency", unique_key="lock") == [{}, {}]


def test_a_peer_is_asked_for_both_features_only_if_it_has_each() -> None:
    assert set(SHARED["priorities unique"]) == set(SHARED["priorities"]) & set(SHARED["unique"])
    assert set(SHARED["unique"]) <= {peer.name for peer in POSTGRES_PEERS}


def test_each_system_is_measured_with_each_feature_that_it_has(tmp_path: Path) -> None:
    noting = "Path(place, 'asked').open('a').write(os.environ.get('BENCH_FEATURES', '-') + '\\n')"
    systems = {name: _system(tmp_path, name, noting, STORED) for name in (OURS, "pgqueuer", "absurd-sdk")}
    results = Results("mixed")
    _bulks(results, Nowhere("", None), systems, JOBS, run=1)
    assert {name for system, name in results.figures if system == "pgqueuer"} == {
        "bulk_priorities",
        "bulk_unique",
        "bulk_priorities_unique",
    }
    assert {name for system, name in results.figures if system == "absurd-sdk"} == {"bulk_unique"}
    assert results.median("pgqueuer", "bulk_unique") == JOBS / 0.5
    assert len(results.figures[OURS, "bulk_unique"].runs) == 1  # its first one is to warm up
    asked = (tmp_path / "pgqueuer" / "asked").read_text().splitlines()
    assert asked == ["priorities", "-", "unique", "-", "priorities unique", "-"]  # "-": counted afterwards


@pytest.mark.parametrize(
    ("body", "why"),
    [("sys.exit(3)", "`bulk` ended with exit code 3"), (STORED.replace("7", "6"), "stored 6 of 7 jobs")],
)
def test_a_peer_that_breaks_is_named_and_left_out_and_the_others_go_on(
    tmp_path: Path, body: str, why: str
) -> None:
    systems = {name: _system(tmp_path, name, STORED) for name in (OURS, "procrastinate")}
    systems["pgqueuer"] = _system(tmp_path, "pgqueuer", body)
    results = Results("mixed")
    _bulks(results, Nowhere("", None), systems, JOBS, run=1)
    assert results.failures == {"pgqueuer": f"bulk_priorities: {why}"}
    measured = {system for system, name in results.figures if name == "bulk_priorities_unique"}
    assert measured == {OURS, "procrastinate"}
    assert not [system for system, _ in results.figures if system == "pgqueuer"]


def test_the_suite_fails_with_ours(tmp_path: Path) -> None:
    systems = {OURS: _system(tmp_path, OURS, "sys.exit(3)")}
    with pytest.raises(SystemFailed, match="holdfast: `bulk` ended with exit code 3"):
        _bulks(Results("mixed"), Nowhere("", None), systems, JOBS, run=1)


def _system(place: Path, name: str, *body: str) -> System:
    """One that runs in our own environment, and has our own version."""
    (place / name).mkdir()
    return replace(system(place / name, *body), name=name, package="holdfast-queue")
