"""Debian's chromium, without a download of its own and without calls to other hosts."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """The program. Without it a test is skipped, loudly; with CI=true it fails."""
    found = shutil.which("chromium")
    if found is None:
        words = "there is no chromium: install the package chromium to run the tests of the dashboard's pages"
        if os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return found


@asynccontextmanager
async def a_browser() -> AsyncIterator[Browser]:
    program = chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()
