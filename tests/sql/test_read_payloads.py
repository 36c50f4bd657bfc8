"""JSON that is sent as text is looked at before PostgreSQL's parser, which cannot read what is very deep."""

import pytest

from holdfast.db import jobs
from holdfast.db.connect import Connection
from holdfast.model.error import InvalidPayload
from holdfast.model.payload import JsonText
from tests.builders import ready_job, refusal, state_of

ENQUEUE = "select holdfast.enqueue_jobs(array['t'], holdfast.read_payloads($1::text[]))"
DEEP = {
    "arrays": ("[" * 100_000 + "]" * 100_000, "$" + "[0]" * 64),
    "objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "$" + ".a" * 64),
    "open": ('{"a": [1, {"b c": ' + "[" * 100_000, "$.a[1]"),
}


@pytest.mark.parametrize("kind", DEEP)
async def test_a_hundred_thousand_brackets_are_refused_with_their_path(conn: Connection, kind: str) -> None:
    text, path = DEEP[kind]
    error = await refusal(conn, ENQUEUE, ["{}", text])
    assert error.sqlstate == "HF001"
    assert (error.detail or "").startswith(path)
    assert "index 1" in error.message
    assert await state_of(conn, await ready_job(conn)) == "ready"


@pytest.mark.parametrize("brackets", [1_000, 3_999, 4_001])
async def test_what_the_servers_parser_can_read_is_refused_by_the_verb(
    conn: Connection, brackets: int
) -> None:
    text = "[" * (brackets // 2) + "]" * (brackets // 2)
    assert (await refusal(conn, ENQUEUE, [text])).sqlstate == "HF001"


async def test_the_client_sends_its_json_as_text(conn: Connection) -> None:
    text, path = DEEP["arrays"]
    with pytest.raises(InvalidPayload) as caught:
        await jobs.enqueue_jobs(conn, ["t"], [JsonText(text)])
    assert caught.value.path == path


@pytest.mark.parametrize("texts", [["1"], ['{"a": 1}', "null", None, '["' + "[" * 1000 + '"]'], []])
async def test_other_text_is_read_as_it_is(conn: Connection, texts: list[str | None]) -> None:
    assert await conn.fetchval("select holdfast.read_payloads($1::text[])", texts) == texts


async def test_what_is_no_json_is_refused_by_the_servers_parser(conn: Connection) -> None:
    assert (await refusal(conn, ENQUEUE, ["{"])).sqlstate == "22P02"
