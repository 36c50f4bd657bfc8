"""What the script of the pages sends, and what it does when its reader may not see a page any more."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.db.queues import list_queues
from tests.api.serving import served
from tests.patience import PATIENCE

NO_LONGER_THAN = int(PATIENCE * 1000)
# Of a queue with this name, which older databases may have.
PAUSE = """(name) => {
  const form = document.createElement("form");
  form.dataset.api = `POST /queues/${name}/pause`;
  form.innerHTML = '<input name="reason" value="lunch"><output class="answer"></output><button>Go</button>';
  document.body.append(form);
  form.requestSubmit();
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def admin(app: Holdfast, browser: Browser) -> AsyncIterator[Page]:
    """A tab of a person who has logged in with the key `ada`."""
    api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
    async with served(api) as address:
        tab = await browser.new_page(base_url=address)
        await tab.goto("/login")
        await tab.get_by_label("Access key").fill((await app.keys.create("ada", "admin")).secret)
        await tab.get_by_role("button", name="Log in").click()
        await expect(tab.get_by_role("button", name="Log out")).to_be_visible()
        yield tab
        await tab.close()


async def test_a_name_that_is_a_step_of_a_path_is_never_sent(tab: Page, app: Holdfast) -> None:
    await app.settings.set_queue("mail", reason="for the test", timeout="2m")
    await tab.goto("/schedules")
    for place, name in enumerate((".", "..", "%2E")):
        await tab.evaluate(PAUSE, name)
        said = tab.locator("body > form .answer").nth(place)
        await expect(said).to_contain_text("cannot be part of an address")
    assert [one.paused_at for one in await list_queues(app.database, 10)] == [None]


async def test_names_with_spaces_are_separated_by_commas(admin: Page, app: Holdfast) -> None:
    await admin.goto("/keys")
    await admin.get_by_role("button", name="Create a key…").click()
    await admin.get_by_label("Name").fill("crawler")
    await admin.get_by_label("Queues").fill("late mail, chat ,")
    await admin.get_by_role("button", name="Create the key").click()
    await expect(admin.locator("#secret-text")).to_contain_text("hfk_")
    assert {one.name: one.queues for one in await app.keys.list()}["crawler"] == ["late mail", "chat"]


async def test_a_page_whose_session_is_over_leads_to_the_log_in(admin: Page, app: Holdfast) -> None:
    await admin.goto("/dead")
    await expect(admin.locator(".live")).to_have_attribute("data-state", "live")
    await app.keys.revoke("ada")
    await expect(admin.get_by_role("heading", name="Log in")).to_be_visible(timeout=NO_LONGER_THAN)
