"""Flags and roll-outs: what their page shows, and what a person sets there."""

import pytest
from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.db.flags import list_flags
from holdfast.db.rollouts import list_rollouts, set_rollout
from tests.api.conftest import MakeKey
from tests.builders import a_worker


async def test_flags_show_their_scope_value_default_and_who_changed_them(
    http: AsyncClient, app: Holdfast
) -> None:
    assert "All flags have their defaults." in (await http.get("/flags")).text
    await app.settings.set_flag("detail", "full", "an audit")
    await app.settings.set_flag("slots", 20, "slow", group="gpu")
    app.queue("mail")
    await app.declare()
    await app.settings.set_flag("rescue", "off", queue="mail")
    page = (await http.get("/flags")).text
    assert "<title>3 flags set · Flags and roll-outs · Holdfast</title>" in page
    assert '<b class="strong break">full</b>' in page
    assert ">basic</td>" in page, "its default"
    assert 'by <span class="break">tests</span>' in page
    assert 'workers of the group <b class="break">gpu</b>' in page
    assert ">no live worker in this group<" in page
    assert 'href="/queues/mail"' in page
    assert "an audit" in page
    assert "Rescue is off for the queue mail: jobs of lost workers stay where they are." in page
    assert page.index(">slots ") < page.index(">claim_size "), "flags that are set stand first"


async def test_a_flag_of_a_group_with_a_live_worker_is_in_effect(http: AsyncClient, app: Holdfast) -> None:
    await app.settings.set_flag("slots", 20, "slow", group="gpu")
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"], group="gpu")
    assert "no live worker in this group" not in (await http.get("/flags")).text


async def test_roll_outs_are_off_partial_or_on_and_a_key_can_be_tried(
    http: AsyncClient, app: Holdfast
) -> None:
    assert "No roll-out was set yet" in (await http.get("/flags")).text
    for name, percent in (("none", 0.0), ("some", 12.5), ("all", 100.0)):
        await set_rollout(app.database, name, percent, None, "ada")
    page = (await http.get("/flags")).text
    assert [page.count(f"</svg>{word}<") for word in ("off", "partial", "on")] == [1, 1, 1]
    assert ">12.5 %<" in page
    assert ">Enabled for</th>" in page
    assert "takes the new way" in (await http.get("/flags?rollout=all&key=17")).text
    assert "takes the old way" in (await http.get("/flags?rollout=never&key=17")).text


async def test_only_operators_of_everything_see_actions(keyed_http: AsyncClient, make_key: MakeKey) -> None:
    assert "data-api" not in (await keyed_http.get("/flags", headers=await make_key("viewer"))).text
    assert "data-api" in (await keyed_http.get("/flags", headers=await make_key("operator"))).text
    scoped = await make_key("operator", queues=["mail"])
    assert (await keyed_http.get("/flags", headers=scoped)).status_code == 403


@pytest.mark.slow
async def test_a_person_sets_a_roll_out_and_sets_and_clears_a_flag(tab: Page, app: Holdfast) -> None:
    app.queue("mail")
    await app.declare()
    await tab.goto("/flags")
    await tab.get_by_role("button", name="Set a roll-out…").click()
    dialog = tab.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("new editor")
    await dialog.get_by_label("Share").fill("lots")
    await dialog.get_by_label("Reason").fill("the first customers")
    await dialog.get_by_role("button", name="Set the roll-out").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("off, on, or a percentage")
    await dialog.get_by_label("Share").fill("20%")
    await dialog.get_by_role("button", name="Set the roll-out").click()
    await expect(tab.get_by_text("20 %", exact=True)).to_be_visible()
    (found,) = await list_rollouts(app.database)
    assert (found.name, found.percent) == ("new editor", 20.0)
    await tab.get_by_role("button", name="Actions for rescue").click()
    await tab.get_by_role("button", name="Set for a queue…").click()
    await dialog.get_by_label("Value").fill("off")
    await dialog.get_by_label("Queue").fill("mail")
    await dialog.get_by_label("Reason").fill("a hanging job")
    await dialog.get_by_role("button", name="Set the flag").click()
    await expect(tab.get_by_role("row").filter(has_text="a hanging job")).to_contain_text("off")
    assert await set_flags(app) == [("rescue", "mail", "off", "a hanging job")]
    await tab.get_by_role("button", name="Actions for rescue of mail").click()
    await tab.get_by_role("button", name="Clear…").click()
    await dialog.get_by_role("button", name="Clear the flag").click()
    await expect(tab.get_by_role("row").filter(has_text="a hanging job")).to_have_count(0)
    assert await set_flags(app) == []


async def set_flags(app: Holdfast) -> list[tuple[str, str | None, str, str | None]]:
    found = await list_flags(app.database, 100)
    return [(one.name, one.queue, one.value, one.reason) for one in found if one.is_set]
