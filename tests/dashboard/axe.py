"""axe-core from npm, which checks the accessibility of a page in the browser. Pinned by version and hash."""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

VERSION = "4.14.0"
INTEGRITY = "sha512-9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CHECK = """([place, rules]) => axe.run(
  place ? document.querySelector(place) : document, { runOnly: rules, resultTypes: ["violations"] })"""


async def violations(page: Page, place: str = "") -> list[str]:
    """Of the page, or of the part that a selector finds. A line for each: the rule, what it says, and the
    first place that breaks it.
    """
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(script())
    found: dict[str, Any] = await page.evaluate(CHECK, [place, RULES])
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]


@cache
def script() -> str:
    kept = Path(tempfile.gettempdir()) / f"holdfast-axe-{VERSION}-{os.getuid()}.js"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as directory:
            shutil.move(_download_to(Path(directory)), kept)
    return kept.read_text("utf-8")


def _download_to(directory: Path) -> Path:
    if shutil.which("npm") is None:
        words = "there is no npm, which has axe-core: install npm to check the accessibility of pages"
        pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
    command = ["npm", "pack", f"axe-core@{VERSION}", "--loglevel=error", "--pack-destination", str(directory)]
    command += ["--cache", str(directory / "cache")]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    (tarball,) = directory.glob("*.tgz")
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    assert f"sha512-{digest}" == INTEGRITY, "npm's axe-core is not the one that was pinned"
    with tarfile.open(tarball) as packed:
        packed.extract("package/axe.min.js", directory, filter="data")
    return directory / "package" / "axe.min.js"
