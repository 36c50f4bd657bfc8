"""A soak: what counts as growing, and that standing still is no way not to."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chaos.soak.claim_times import RECORD, ClaimTimes
from chaos.soak.samples import Sample
from chaos.soak.slopes import lines_of, slopes_of, standstills
from tests.cli.command import environment
from tests.repo.tree import ROOT

STEADY = {
    "memory": 50_000_000,
    "server_memory": 10_000_000,
    "descriptors": 20,
    "claim": 10.0,
    "pick_up": 20.0,
    "tables": 1000,
    "indexes": 1000,
    "dead_tuples": 10,
}


def a_sample(at: int, **other: Any) -> Sample:
    return Sample(**{"at": at, "history": at, "wal": at, "jobs": at, **STEADY, **other})


def growing(name: str, per_sample: float) -> list[str]:
    samples = [a_sample(at, **{name: STEADY[name] + per_sample * at}) for at in range(100)]
    return [one.name for one in slopes_of(samples) if one.grows]


@pytest.mark.parametrize(
    ("name", "per_sample"),
    [
        ("memory", 20_000),
        ("server_memory", 20_000),
        ("descriptors", 0.02),
        ("claim", 0.03),
        ("pick_up", 0.06),
        ("tables", 4),
        ("indexes", 4),
    ],
)
def test_what_grows_is_seen_and_less_is_noise(name: str, per_sample: float) -> None:
    assert growing(name, per_sample) == [name]
    assert growing(name, per_sample / 4) == []


def test_noise_is_no_slope() -> None:
    samples = [a_sample(at, memory=50_000_000 + 2_000_000 * (at % 2)) for at in range(100)]
    assert not any(one.grows for one in slopes_of(samples))


def test_dead_tuples_come_and_go_with_each_vacuum() -> None:
    assert growing("dead_tuples", 100) == []


def test_the_verdict_stands_behind_what_was_measured() -> None:
    samples = [a_sample(at, claim=10 + at) for at in range(100)]
    lines = list(lines_of(samples, slopes_of(samples)))
    assert [line.split("  ")[0] for line in lines if line.endswith("grows")] == ["claim p99, ms"]
    assert lines[-1] == "99 jobs; WAL 1 and history 1 bytes per job"


def test_a_soak_that_stood_still_is_told() -> None:
    samples = [a_sample(at, pick_up=20.0 if at < 4 else 0.0) for at in range(6)]
    assert standstills(samples) == [4, 5]


def test_claims_are_read_once_and_a_half_written_one_later(tmp_path: Path) -> None:
    claims = ClaimTimes(tmp_path)
    assert claims.p99() == 0
    (tmp_path / "1").write_bytes(RECORD.pack(1.0) * 3 + RECORD.pack(9.0)[:3])
    (tmp_path / "2").write_bytes(RECORD.pack(1.0))
    assert claims.p99() == 1
    with (tmp_path / "1").open("ab") as file:
        file.write(RECORD.pack(9.0)[3:])
    assert claims.p99() == 9


@pytest.mark.slow
@pytest.mark.alone
def test_a_short_soak_does_all_it_was_given_and_measures_it(tmp_path: Path) -> None:
    """Too short for a verdict about slopes, so its exit code is not looked at."""
    report = tmp_path / "soak.txt"
    command = [sys.executable, "-m", "chaos", "--soak", "0.006", "--workers", "2"]
    command += ["--report", str(report)]
    subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, check=False)
    lines = report.read_text().splitlines()
    measured = {name: first for name, first, *_ in (re.split(r"  +", line) for line in lines[1:9])}
    assert len(measured) == len(STEADY)
    assert all(float(first) > 0 for name, first in measured.items() if name != "dead tuples")
    assert "jobs were left" not in lines[-1]
