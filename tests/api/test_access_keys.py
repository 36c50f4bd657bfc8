"""Access keys over HTTP: an admin makes, lists, rotates and revokes them; a secret is shown once."""

from typing import Any

import pytest
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey

KEYS = "/api/v1/keys"


@pytest.fixture
async def admin(make_key: MakeKey) -> Headers:
    return await make_key("admin")


def bearer(made: dict[str, Any]) -> Headers:
    return {"Authorization": f"Bearer {made['secret']}"}


async def test_a_key_is_made_used_rotated_and_revoked(
    http: AsyncClient, app: Holdfast, admin: Headers
) -> None:
    new = {"name": "a/b", "role": "viewer", "queues": ["mail"], "expires_in": "90d", "reason": "import"}
    made = await http.post(KEYS, json=new, headers=admin)
    assert made.status_code == 201
    first = bearer(made.json())
    listing = {"queue": "mail"}
    assert (await http.get("/api/v1/jobs", params=listing, headers=first)).status_code == 200
    assert (await http.post(KEYS, json=new, headers=admin)).status_code == 409
    rotated = await http.post(f"{KEYS}/a%2Fb/rotate", json={"overlap": 0}, headers=admin)
    second = bearer(rotated.json())
    assert (await http.get("/api/v1/jobs", params=listing, headers=first)).status_code == 401
    assert (await http.get("/api/v1/jobs", params=listing, headers=second)).status_code == 200
    listed = await http.get(KEYS, headers=admin)
    (shown,) = [key for key in listed.json()["keys"] if key["name"] == "a/b"]
    assert (shown["role"], shown["queues"], shown["state"], shown["secrets"]) == (
        "viewer",
        ["mail"],
        "valid",
        1,
    )
    for secret in (made.json()["secret"], rotated.json()["secret"]):
        assert secret not in listed.text
    assert (await http.post(f"{KEYS}/a%2Fb/revoke", headers=admin)).json()["state"] == "revoked"
    assert (await http.get("/api/v1/jobs", params=listing, headers=second)).status_code == 401
    assert (await http.post(f"{KEYS}/a%2Fb/revoke", headers=admin)).status_code == 404
    assert "a/b" not in (await http.get(KEYS, headers=admin)).text
    assert "a/b" in (await http.get(f"{KEYS}?all=true", headers=admin)).text
    trail = await app.database.fetch("select cause, actor, reason from holdfast.events order by id")
    assert [tuple(row) for row in trail][1:] == [
        ("create_access_key", "admin", "import"),
        ("rotate_access_key", "admin", None),
        ("revoke_access_key", "admin", None),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"name": "x"}, {"name": "x", "role": "root"}, {"name": 5, "role": "viewer"},
        {"name": "x", "role": "viewer", "queues": "mail"}, {"name": "x", "role": "viewer", "queues": []},
        {"name": "x", "role": "viewer", "queues": [5]}, {"name": "x", "role": "viewer", "expires_in": "soon"},
        {"name": "x", "role": "viewer", "expires_in": []}, {"name": "x", "role": "viewer", "colour": 1},
        {"name": "x", "role": "viewer", "tasks": ["a\x00"]},
        {"name": "x", "role": "viewer", "expires_in": 1e300},
    ],
)  # fmt: skip
async def test_a_key_that_makes_no_sense_is_refused(
    http: AsyncClient, app: Holdfast, admin: Headers, wrong: dict[str, Any]
) -> None:
    refused = await http.post(KEYS, json=wrong, headers=admin)
    assert refused.status_code == 422, refused.text
    assert len(await app.keys.list()) == 1
