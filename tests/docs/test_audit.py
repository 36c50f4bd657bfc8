"""The guide to the audit trail is true: its command prints what the page shows, and its calls work."""

import re
import shlex

from holdfast import Holdfast
from holdfast.cli.frame.command_list import COMMANDS, Noun
from holdfast.db.connect import Connection
from holdfast.model.audit import DayStatus
from tests.cli.command import holdfast
from tests.docs.page import blocks
from tests.repo.tree import ROOT

PAGE = "guides/audit.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


def test_the_command_prints_what_the_page_shows(database_url: str) -> None:
    ((_, call),) = blocks(PAGE, "shell")
    ((_, shown),) = blocks(PAGE, "text")
    printed = holdfast(*shlex.split(call)[1:], url=database_url)
    assert [line.rstrip() for line in printed.lines] == shown.splitlines()


async def test_the_call_from_sql_works(conn: Connection) -> None:
    (statement,) = re.findall(r"`(select \* from holdfast\.set_queue.*?)`", TEXT)
    (row,) = await conn.fetch(statement)
    assert (row["setting"], row["after"]) == ("timeout", "120")


async def test_the_call_from_python_works(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        (change,) = await app.settings.set_queue("mail", reason="the relay is slow", timeout="2m")
        assert (change.setting, change.before, change.after) == ("timeout", None, 120)
        (event,) = await app.audit.find()
        assert (event.cause, event.actor, event.reason) == ("set_queue", "app", "the relay is slow")


def test_every_verb_and_status_is_on_the_page() -> None:
    (noun,) = [one for one in COMMANDS if isinstance(one, Noun) and one.name == "audit"]
    assert all(f"`holdfast audit {verb}" in TEXT for verb in noun.verbs)
    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) == {str(status) for status in DayStatus}
