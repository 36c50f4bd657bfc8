"""A run that failed is done again from what it has saved."""

import json
import re
from pathlib import Path

import pytest

from tests.proof.test_mini_chaos import chaos

pytestmark = [pytest.mark.alone, pytest.mark.slow]

SEED = 22
# It harms nobody, so that no late writer is fenced: reason enough for a run to fail. With this seed no job of
# the mix kills its worker either.
HARMLESS = "long-transaction"


def test_a_schedule_that_failed_is_saved_and_fails_again_in_the_same_way(tmp_path: Path) -> None:
    options = ("--seed", str(SEED), "--minutes", "0.1", "--faults", HARMLESS, "--workers", "2")
    first = chaos(*options, "--save", str(tmp_path))
    assert first.returncode == 1, first.stdout + first.stderr
    saved = tmp_path / f"chaos-{SEED}.json"
    steps = [step["fault"] for step in json.loads(saved.read_text())["steps"]]
    again = chaos("--replay", str(saved), "--save", str(tmp_path / "elsewhere"))
    assert again.returncode == 1, again.stdout + again.stderr
    for run in (first, again):
        assert f"chaos: seed {SEED}" in run.stderr
        assert "wrong: no late writer was ever fenced" in run.stdout
        assert done_by(run.stderr) == steps[: len(done_by(run.stderr))] != []


def done_by(told: str) -> list[str]:
    """The faults that a run tells of, in their order."""
    return re.findall(r"chaos: +[\d.]+ s (\S+)", told)
