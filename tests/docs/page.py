"""The programs in a page of the documentation."""

import os
import re
import subprocess
import sys

from tests.patience import PATIENCE
from tests.repo.tree import ROOT

BLOCK = re.compile(
    r"^## (?P<heading>[^\n]+)$|^```(?P<language>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)


def blocks(page: str, language: str) -> list[tuple[str, str]]:
    """Each with the heading above it."""
    heading, found = "", []
    for match in BLOCK.finditer((ROOT / "docs" / page).read_text()):
        if match["heading"]:
            heading = match["heading"]
        elif match["language"] == language:
            found.append((heading, match["text"]))
    return found


def links(page: str) -> list[str]:
    return re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "docs" / page).read_text())


def environment(database_url: str) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": database_url, "PYTHONPATH": str(ROOT / "src")}


def run(program: str, database_url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """In an interpreter of its own; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**environment(database_url), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done
