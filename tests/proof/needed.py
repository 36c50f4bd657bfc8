"""What a proof needs of the machine: without it the proof is skipped, but under CI that is a failure."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """`what`: what is missing, and how to get it."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(f"{what}. CI=true is set, so this proof must not be left out.", pytrace=False)
    pytest.skip(what)
