"""Access keys: their scope in words, and the key of the reader's own session."""

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey


async def test_a_key_shows_its_scope_and_whether_it_is_of_this_session(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    mine = await make_key("admin")
    await app.keys.create("narrow", "operator", queues=["mail", "sms"], tasks=["send"])
    page = (await keyed_http.get("/keys", headers=mine)).text
    assert "queues mail, sms; tasks send" in page
    assert page.count("this session") == 1
    assert "Hide revoked and expired" in (await keyed_http.get("/keys?all=1", headers=mine)).text
    assert page.count("This is the key of your own session") == 1
    revoke = page[page.index('id="revoke-') :]
    assert 'name="reason" maxlength="2000" required' in revoke[: revoke.index("</dialog>")]


async def test_a_key_that_never_expires_is_marked(http: AsyncClient, app: Holdfast) -> None:
    await app.keys.create("ci", "viewer", expires_in="90d")
    before = (await http.get("/keys")).text.count('<span class="warn">never</span>')
    await app.keys.create("old", "viewer")
    assert (await http.get("/keys")).text.count('<span class="warn">never</span>') == before + 1
