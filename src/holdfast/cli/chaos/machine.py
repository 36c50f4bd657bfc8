"""`holdfast chaos --machine`: the state machine of the verbs under Hypothesis, run for long."""

import os
import subprocess
import sys
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

from holdfast.cli.output import say
from holdfast.model.error import NotFound

ROOT = Path(__file__).parents[4]
MACHINE = "tests/machine/test_machine.py"
SCHEDULES_PER_SECOND = 4  # of fifty verbs each, on one core


def run_machine(seed: int, length: timedelta) -> bool:
    """True if the database did as the model says."""
    if not (ROOT / MACHINE).is_file() or find_spec("hypothesis") is None:
        raise NotFound(
            "The state machine is part of the tests, which an installed package does not have.",
            "clone the repository and run ./dev chaos --machine there",
        )
    schedules = max(1, round(length.total_seconds() * SCHEDULES_PER_SECOND))
    say(f"chaos: seed {seed}, {schedules} schedules")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        MACHINE,
        f"--hypothesis-seed={seed}",
    ]
    environment = {**os.environ, "HOLDFAST_MACHINE_EXAMPLES": str(schedules)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
