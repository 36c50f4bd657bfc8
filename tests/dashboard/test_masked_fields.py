"""Fields of payloads that hold secrets: hidden on pages, and from filters that would reveal them."""

from functools import partial

from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.model.masking import Masking
from tests.api.conftest import MakeKey
from tests.builders import dead_job, ready_job


async def test_jobs_are_not_found_by_fields_that_the_server_masks(app: Holdfast, make_key: MakeKey) -> None:
    async with app.database.transaction() as conn:
        await ready_job(conn, queue="mail", task="send", payload={"iban": "DE1", "note": "x"})
    masking = Masking.with_more(["iban"])
    api = api_app(app, add_pages=partial(add_dashboard, masking=masking))
    async with AsyncClient(transport=ASGITransport(app=api), base_url="http://localhost") as client:
        client.headers |= await make_key("viewer")
        hidden = (await client.get("/jobs?payload=iban:DE1")).text
        assert "The field iban of payloads is masked." in hidden
        assert "/jobs/0" not in hidden
        assert "/jobs/0" in (await client.get("/jobs?payload=note:x")).text


async def test_fields_that_hold_secrets_are_masked_wherever_the_payload_is_shown(
    http: AsyncClient, app: Holdfast
) -> None:
    payload = {"user": "ada", "password": "open sesame", "headers": {"Authorization": "Bearer xyz"}}
    async with app.database.transaction() as conn:
        job = (await dead_job(conn, queue="mail", task="send", payload=payload)).id
    page = (await http.get(f"/jobs/{job}")).text
    assert "ada" in page
    assert '<span class="masked">masked</span>' in page
    for secret in ("open sesame", "Bearer xyz"):
        assert secret not in page, "nor in what can be copied or edited"
