"""The guide to reports is true: its commands work, and the page has the parts that it lists."""

import re
import shlex
from pathlib import Path

from tests.cli.command import holdfast
from tests.docs.page import blocks, links
from tests.repo.tree import ROOT

PAGE = "guides/report.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
PICTURE = ROOT / "docs" / "screens" / "report.png"
(COMMANDS,) = [text for _, text in blocks(PAGE, "bash")]


def test_every_command_works(database_url: str, tmp_path: Path) -> None:
    lines = [shlex.split(line, comments=True) for line in COMMANDS.splitlines()]
    assert [words[:2] for words in lines] == [["holdfast", "report"]] * 3
    for words in lines:
        answer = holdfast(*words[1:], url=database_url, cwd=tmp_path)
        assert answer.code == 0, answer.err
    assert (tmp_path / "week.html").exists()


def test_the_picture_is_small_enough_to_be_kept() -> None:
    assert PICTURE.read_bytes().startswith(b"\x89PNG")
    assert PICTURE.stat().st_size < 300_000


def test_every_link_leads_somewhere() -> None:
    assert [
        link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link.split("#")[0]).exists()
    ] == []


def test_every_part_that_the_guide_lists_is_on_the_page(database_url: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert holdfast("report", "--html", str(page), url=database_url).code == 0
    headings = " ".join(re.findall(r"<h2[^>]*>([^<]*)", page.read_text("utf-8"))).lower()
    parts = re.findall(r"^\| ([a-z ,]+) \| ", TEXT, re.MULTILINE)[1:]
    missing = [part for part in parts if part.split(",")[0] not in headings]
    assert missing == ["verdict"], "which is the title of the page"
