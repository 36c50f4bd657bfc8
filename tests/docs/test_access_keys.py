"""The guide to access keys is true: its commands and calls work, its table names all roles."""

import re
import shlex
from datetime import timedelta
from typing import Any

import pytest

from holdfast import Holdfast, NotAuthenticated
from holdfast.cli.frame.command_list import COMMANDS, Noun
from holdfast.db.access_keys import check_access, open_session
from holdfast.model.access_key import AccessAction, AccessRole, hash_secret
from tests.cli.command import holdfast
from tests.docs.page import blocks
from tests.repo.tree import ROOT

PAGE = "guides/access-keys.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


def test_the_command_prints_a_secret_that_begins_as_the_page_says(database_url: str) -> None:
    ((_, call),) = blocks(PAGE, "shell")
    printed = holdfast(*shlex.split(call)[1:], url=database_url)
    assert printed.out.startswith("hfk_")


async def test_the_calls_from_python_work(database_url: str) -> None:
    (_, code), _ = blocks(PAGE, "python")
    async with Holdfast(database_url) as app:
        body = "".join(f"    {line}\n" for line in code.splitlines())
        names: dict[str, Any] = {}
        exec(f"async def calls(app):\n{body}    return later.secret\n", names)
        secret = await names["calls"](app)
        with pytest.raises(NotAuthenticated):
            await check_access(app.database, hash_secret(secret), AccessAction.HEALTH)


async def test_the_link_opens_one_session(database_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, (_, code) = blocks(PAGE, "python")
    async with Holdfast(database_url) as app:
        await app.keys.create("ops", "operator")
        body = "".join(f"    {line}\n" for line in code.splitlines())
        names: dict[str, Any] = {}
        exec(f"async def calls(app):\n{body}", names)
        await names["calls"](app)
        link = hash_secret(capsys.readouterr().out.strip().partition("?link=")[2])
        session = hash_secret("a session")
        opened = await open_session(app.database, link, session, timedelta(hours=1))
        assert (opened.name, opened.role) == ("ops", AccessRole.OPERATOR)


def test_every_verb_and_role_is_on_the_page() -> None:
    (noun,) = [one for one in COMMANDS if isinstance(one, Noun) and one.name == "keys"]
    assert all(f"`holdfast keys {verb}`" in TEXT for verb in noun.verbs)
    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) == {str(role) for role in AccessRole}
