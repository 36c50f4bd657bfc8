"""Screenshots of pages, to be looked at: `python -m tests.dashboard.screens FOLDER [PATH ...]`.

Plays a busy day in a database of its own, serves it, and takes each page in both themes at three widths.
With `--serve` it serves until Ctrl-C instead.
"""

import argparse
import asyncio
import logging
import re
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Browser

from holdfast.client.app import Holdfast
from holdfast.testing.database import clone_database, make_template
from holdfast.testing.server import find_server
from tests.api.serving import served
from tests.dashboard.browser import a_browser
from tests.dashboard.busy import fill, keyless
from tests.dashboard.samples import SAMPLES

THEMES = ("light", "dark")
WIDTHS = (390, 1024, 1600)


async def main() -> None:
    options = _options()
    server = find_server()
    async with clone_database(server, await make_template(server)) as url:
        if not options.empty:
            await fill(url)
        async with Holdfast(url, name="screens") as app, keyless(app) as api, served(api) as address:
            if options.serve:
                print(address, url, flush=True)
                await asyncio.Event().wait()
            paths = {path: path for path in options.paths} or {
                path: await sample(app) for path, sample in SAMPLES.items()
            }
            async with a_browser() as browser:
                await _take(browser, address, paths, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("screens"))
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--empty", action="store_true", help="before the first job")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--themes", nargs="+", default=THEMES)
    return parser.parse_args()


async def _take(
    browser: Browser, address: str, paths: Mapping[str, str], options: argparse.Namespace
) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    for theme in options.themes:
        for width in options.widths:
            page = await browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
            for path, sample in paths.items():
                await page.goto(address + sample, wait_until="load")
                await page.wait_for_selector("main")
                name = re.sub(r"\W+", "-", path).strip("-") or "overview"
                await page.screenshot(path=options.folder / f"{name}-{theme}-{width}.png", full_page=True)
            await page.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main())
