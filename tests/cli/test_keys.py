"""`holdfast keys`: the verbs, and the shape of what they print."""

from dataclasses import fields

import pytest

from holdfast import Holdfast
from holdfast.db.access_keys import check_access
from holdfast.db.connect import Connection
from holdfast.model.access_key import AccessAction, AccessKey, NewSecret, hash_secret
from tests.cli.command import holdfast
from tests.cli.scene import given

KEYS = {field.name for field in fields(AccessKey)}
SECRET_KEYS = {field.name for field in fields(NewSecret)}


def role_of(url: str, secret: str) -> str:
    async def look(conn: Connection) -> str:
        return (await check_access(conn, hash_secret(secret), AccessAction.READ_STATE)).role

    return given(url, look)


def test_a_key_is_created_listed_rotated_and_revoked(database_url: str) -> None:
    create = ["keys", "create", "ci", "--role", "producer", "--queue", "mail", "--expires-in", "90d"]
    made = holdfast(*create, url=database_url)
    assert (made.code, len(made.lines)) == (0, 1)
    assert "not shown again" in made.err
    assert role_of(database_url, made.lines[0]) == "producer"

    (listed,) = holdfast("keys", "list", "--json", url=database_url).document["keys"]
    assert listed.keys() == KEYS
    assert (listed["name"], listed["queues"], listed["tasks"]) == ("ci", ["mail"], None)
    assert made.lines[0] not in holdfast("keys", "list", url=database_url).out

    rotated = holdfast("keys", "rotate", "ci", "--overlap", "1d", "--json", url=database_url).document
    assert rotated.keys() == SECRET_KEYS
    assert {role_of(database_url, one) for one in (rotated["secret"], made.lines[0])} == {"producer"}

    assert holdfast("keys", "revoke", "ci", "--reason", "gone", url=database_url).out == "revoked: ci\n"
    assert holdfast("keys", "list", "--json", url=database_url).document == {"keys": []}
    (revoked,) = holdfast("keys", "list", "--all", "--json", url=database_url).document["keys"]
    assert revoked["state"] == "revoked"


@pytest.mark.parametrize(
    ("words", "code"),
    [(["create", "x", "--role", "root"], 2), (["rotate", "nobody"], 5), (["revoke", "nobody"], 5)],
)
def test_a_key_that_is_not_there_or_makes_no_sense_is_refused(
    database_url: str, words: list[str], code: int
) -> None:
    refused = holdfast("keys", *words, url=database_url)
    assert refused.code == code
    assert "\nhint: " in refused.err


async def test_a_program_manages_keys_too(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        made = await app.keys.create("ci", "viewer", tasks=["send"], reason="metrics")
        rotated = await app.keys.rotate("ci", overlap="0s")
        assert made.secret != rotated.secret
        (key,) = await app.keys.list()
        assert (key.name, key.tasks, key.secrets) == ("ci", ["send"], 1)
        await app.keys.revoke("ci")
        assert await app.keys.list() == []
