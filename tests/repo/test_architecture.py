"""The pages at the top of the repository name files that exist; the architecture opens with a picture."""

import re
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

PAGES = sorted(ROOT.glob("*.md"))
PATH = re.compile(r"`([\w-]+/(?:[\w.-]+/)*(?:[\w-]+\.(?:py|sql|md|txt))?)`")
LINK = re.compile(r"\]\((?!\w+:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_and_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text()
    named = {*PATH.findall(text), *LINK.findall(text)}
    assert sorted(path for path in named if not is_there(path)) == []


def is_there(path: str) -> bool:
    """From the root, or below the package."""
    return (ROOT / path).exists() or (ROOT / "src" / "holdfast" / path).exists()


def test_the_architecture_opens_with_a_picture_of_all_parts() -> None:
    picture = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    for part in ("producers", "PostgreSQL", "workers", "HTTP API", "model servers"):
        assert part in picture
