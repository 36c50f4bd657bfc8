"""The screens in the guides are what the command prints. HOLDFAST_WRITE_SCREENS=1 writes the new ones."""

import os
import re

import pytest

from holdfast.db.connect import Connection
from tests.cli.bad_release import bad_release
from tests.cli.command import holdfast
from tests.cli.scene import given
from tests.docs.screens import Screens, one_moment, picture
from tests.repo.tree import ROOT

SCREENS = ROOT / "docs" / "screens"
PICTURE = SCREENS / "top.svg"
GUIDE = ROOT / "docs" / "guides" / "first-bad-day.md"
BLOCK = re.compile(r"<!-- screen: ([\w-]+) -->\n```text\n(.*?)```", re.DOTALL)
WRITES = bool(os.environ.get("HOLDFAST_WRITE_SCREENS"))

# How long things took differs from machine to machine, so the screens show these.
TOOK = """
update holdfast.end_counts
set wait_tens = jsonb_build_object('12', jobs), run_tens = jsonb_build_object('24', jobs),
  wait_seconds = jobs * 0.018, run_seconds = jobs * 0.28
where what = 'end'
"""
KNOWN_PLACE = "update holdfast.workers set host = 'worker-7', pid = 4711"
# They died at once; a second apart, so that lists have one order.
APART = "now() - length(error_type) * interval '1 second'"
LETTERS_APART = f"update holdfast.dead_letters set died_at = {APART}"
ATTEMPTS_APART = f"update holdfast.attempts set ended_at = {APART}, started_at = least(started_at, {APART})"


async def known(conn: Connection) -> None:
    for statement in (TOOK, KNOWN_PLACE, LETTERS_APART, ATTEMPTS_APART):
        await conn.execute(statement)


@pytest.fixture
def screens(database_url: str) -> dict[str, str]:
    """The first bad day, command by command."""
    stuck = str(given(database_url, lambda conn: bad_release(conn, 1000)))
    given(database_url, known)
    screens = Screens(database_url)
    with one_moment():
        screens.show("stats", "stats")
        screens.show("groups", "dead", "groups")
        groups = holdfast("dead", "groups", "--json", url=database_url).document["groups"]
        kinds = {group["error_type"]: group for group in groups}
        screens.show("letter", "dead", "show", kinds["KeyError"]["sample"])
        screens.show("running", "jobs", "list", "--state", "running")
        screens.show("explain", "explain", stuck, columns="200")
        screens.show("reclaim", "jobs", "reclaim", stuck, "--reason", "stuck in 2.0")
        mark = kinds["ValueError"]["fingerprint"]
        screens.show(
            *("resolve", "dead", "resolve", "--fingerprint", mark, "--reason", "test orders", "--yes")
        )
        paced = ("--pace", "500/s", "--reason", "back on 1.9", "--yes")
        screens.show("replay", "dead", "replay", "--queue", "orders", *paced)
        screens.show("story", "jobs", "show", stuck)
        screens.show("top", "top")
    return screens.shown


def test_the_screens_are_what_the_command_prints(screens: dict[str, str]) -> None:
    if WRITES:
        write(screens)
    kept = {path.stem: path.read_text() for path in SCREENS.glob("*.txt")}
    assert kept == screens
    assert dict(BLOCK.findall(GUIDE.read_text())) == screens, "the guide shows them all, as they are"
    assert PICTURE.read_text() == picture(screens["top"]), "the README shows it"


def write(screens: dict[str, str]) -> None:
    SCREENS.mkdir(exist_ok=True)
    for name, text in screens.items():
        (SCREENS / f"{name}.txt").write_text(text)
    PICTURE.write_text(picture(screens["top"]))
    shown = BLOCK.sub(lambda found: _block(found[1], screens[found[1]]), GUIDE.read_text())
    GUIDE.write_text(shown)


def _block(name: str, text: str) -> str:
    return f"<!-- screen: {name} -->\n```text\n{text}```"
