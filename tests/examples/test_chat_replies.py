"""The example chat-replies: its verdict passes in a browser, and each planted fault makes it fail by name."""

from dataclasses import replace
from pathlib import Path

import pytest

from examples.chat_replies import FAULTS, scenario, tabs
from examples.chat_replies.checks import judge, plant
from examples.display import Display
from examples.options import Options
from holdfast.db.connect import Database
from tests.proof.needed import missing

pytestmark = [pytest.mark.slow, pytest.mark.alone]

ONE, OWN, PAGE = (
    "every message has exactly one reply",
    "each with its own entity and text",
    "the page shows each reply once",
)
FAILED = {"delete-row": {ONE}, "double-reply": {ONE}, "wrong-entity": {ONE, OWN}, "lost-on-the-page": {PAGE}}
TINY = replace(scenario.SMALL, typed=2, more=2)


async def test_six_tabs_get_one_reply_for_each_message_and_each_planted_fault_is_named(
    database_url: str, tmp_path: Path
) -> None:
    if tabs.find_browser() is None:
        missing("chromium is not installed: apt-get install chromium")
    async with Database(database_url) as database:
        evidence = await scenario.played(Options(database_url, tmp_path, Display()), TINY)
        good = await judge(database, evidence)
        assert good.passed, good.line("chat-replies", 0)
        assert "6 tabs of chromium" in good.checks[0].found
        for fault in FAULTS:
            planted = await plant(database, evidence, fault)
            failed = {check.name for check in (await judge(database, planted)).failed}
            assert FAILED[fault] <= failed, fault
    assert set(FAILED) == set(FAULTS)


async def test_without_a_browser_six_clients_take_the_place_of_the_tabs_and_the_verdict_says_so(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabs, "find_browser", lambda: None)
    evidence = await scenario.played(
        Options(database_url, tmp_path, Display()), replace(TINY, typed=1, more=1)
    )
    async with Database(database_url) as database:
        verdict = await judge(database, evidence)
    assert verdict.passed, verdict.line("chat-replies", 0)
    assert "no browser" in verdict.checks[0].found
