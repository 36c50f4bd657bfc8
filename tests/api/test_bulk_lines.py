"""The lines of a bulk enqueue: how many there may be, and how the problem of a bad one names it."""

import json

import pytest
from httpx2 import AsyncClient

from holdfast.api.producers.bulk_body import MOST_LINE
from holdfast.client.app import Holdfast
from holdfast.client.bulk import MOST_JOBS
from tests.api.conftest import Headers, MakeKey
from tests.api.test_enqueue import bulk, stored


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("producer")


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        ("{", "$"),
        ("[]", "$"),
        ('{"payload": 1}', "$.task"),
        ('{"task": "t", "colour": 1}', "$.colour"),
        ('{"task": "t", "payload": {"a": [1, NaN]}}', "$.payload.a[1]"),
        ('{"task": "t", "payload": {"a": 1, "a": 2}}', "$.payload.a"),
        ('{"task": "t", "priority": 1e99}', "$.priority"),
        ('{"task": "t", "priority": 1000}', "$.priority"),
        ('{"task": "t", "max_failures": -1}', "$.max_failures"),
        ('{"task": "t", "timeout": 0}', "$.timeout"),
        ('{"task": "t", "queue": "holdfast"}', "$.queue"),
        ('{"task": "t", "queue": "."}', "$.queue"),
        ('{"task": "t", "queue": "' + "q" * 201 + '"}', "$.queue"),
        ('{"task": "holdfast.cancel"}', "$.task"),
        ('{"task": "t", "actor": "another key"}', "$.actor"),
        ('{"task": "t", "run_at": "tomorrow"}', "$.run_at"),
        ('{"task": "t", "run_at": "0001-01-01T00:00:00Z"}', "$.run_at"),
        ('{"task": "t", "run_at": "2030-01-01T00:00:00Z", "delay": 5}', "$.run_at"),
        ('{"task": "t", "unique_for": 5}', "$.unique_for"),
        ('{"task": "t", "order_key": "' + "k" * 1001 + '"}', "$.order_key"),
        ('{"task": "t", "labels": {"a": "' + "x" * 20000 + '"}}', "$.labels"),
        ('{"task": "t", "trace": "00-no-trace-01"}', "$.trace"),
        ('{"task": "t", "payload": "' + "x" * 262_144 + '"}', "$.payload"),
        ('{"task": "t", "unique_key": "taken", "payload": 2}', "$.unique_key"),
        ('{"task": "t", "delay": 1' + "0" * 390 + "}", "$.delay"),
        ('{"task": "t", "retry": {"factor": 1' + "0" * 390 + "}}", "$.retry"),
        ('{"task": "t", "payload": "\\u0000"}', "$.payload"),
        ('{"task": "t", "payload": "\\ud800"}', "$.payload"),
    ],
)
async def test_one_bad_line_refuses_all_with_its_number_and_path(
    http: AsyncClient, app: Holdfast, key: Headers, bad: str, path: str
) -> None:
    """Behind an empty line, a job whose unique key is taken, and more jobs than one statement stores."""
    taken = {"task": "t", "unique_key": "taken", "payload": 1}
    for before in (["", taken], ["", taken, *[{"task": "send"}] * MOST_JOBS]):
        refused = await bulk(http, key, *before, bad, {"task": "send"})
        said = refused.json()
        assert (said["line"], said["path"]) == (len(before) + 1, path), refused.text
        assert refused.status_code == (409 if path == "$.unique_key" else 422)
        assert said["detail"].startswith(f"Line {len(before) + 1}: ")
        assert "index" not in said["detail"]
        assert await stored(app) == []


async def test_a_line_out_of_the_scope_of_the_key_is_named(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    limited = await make_key("producer", queues=["mail"], tasks=["send"])
    good = {"task": "send", "queue": "mail"}
    await app.settings.set_task("send", queue="elsewhere")
    for bad, path in (
        ({"task": "send", "queue": "other"}, "$.queue"),
        ({"task": "send"}, "$.queue"),
        ({"task": "other", "queue": "mail"}, "$.task"),
    ):
        refused = await bulk(http, limited, *[good] * 5, "", bad, good)
        said = refused.json()
        assert (refused.status_code, said["line"], said["path"]) == (403, 7, path), refused.text
    assert await stored(app) == []


async def test_a_line_has_the_bound_of_a_job_on_its_own(http: AsyncClient, key: Headers) -> None:
    refused = await bulk(http, key, {"task": "send"}, '{"task": "' + "x" * MOST_LINE + '"}')
    assert (refused.status_code, refused.json()["line"]) == (413, 2), refused.text


@pytest.mark.slow
async def test_a_hundred_thousand_lines_are_stored_and_one_more_is_refused(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    line = json.dumps({"task": "send"})
    refused = await bulk(http, key, *[line] * 100_001)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input"), refused.text
    assert await stored(app) == []
    made = await bulk(http, key, *[line] * 100_000)
    assert (made.status_code, made.json()["created"], len(set(made.json()["ids"]))) == (201, 100_000, 100_000)
    assert (await app.database.fetch("select count(*) from holdfast.jobs"))[0][0] == 100_000
