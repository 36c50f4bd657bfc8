"""`holdfast metrics`, `holdfast queues depth` and `holdfast workers left`."""

import asyncio

import asyncpg

from tests.cli.command import Result, holdfast

LEFT_KEYS = {
    "hour", "group", "workers", "stopped", "drained", "done", "time_box", "lost", "life_p50", "life_p95",
    "processed", "failed", "released",
}  # fmt: skip
SAMPLE_KEYS = {
    "queue", "minute", "waiting", "scheduled", "ready", "running", "oldest_ready", "oldest_age", "began_at",
    "sampled_at",
}  # fmt: skip
METRIC_KEYS = {"name", "labels", "value", "reported_at"}
VALUE_KEYS = {"minute", "labels", "value"}


def given(url: str, *statements: str) -> None:
    async def run() -> None:
        conn = await asyncpg.connect(url)
        for statement in statements:
            await conn.execute(statement)
        await conn.close()

    asyncio.run(run())


def command(words: str, url: str) -> Result:
    return holdfast(*words.split(), url=url)


def test_a_figure_from_outside_is_reported_and_listed(database_url: str) -> None:
    assert command("metrics report gpu_load 0.5 host=a gpu=0", database_url) == Result(0, "", "")
    assert command("metrics report gpu_load 0.75 gpu=0 host=a", database_url).code == 0
    assert command("metrics report queue_of_server 3", database_url).code == 0
    found = command("metrics reported --json", database_url).document["metrics"]
    assert [one.keys() for one in found] == [METRIC_KEYS, METRIC_KEYS]
    assert [(one["name"], one["labels"], one["value"]) for one in found] == [
        ("gpu_load", {"gpu": "0", "host": "a"}, 0.75),
        ("queue_of_server", {}, 3),
    ]
    assert "gpu=0,host=a" in command("metrics reported", database_url).out
    values = command(f"metrics history {found[0]['name']} --json", database_url).document["values"]
    assert [one.keys() for one in values] == [VALUE_KEYS] * len(values) != []
    assert "gpu=0,host=a" in command(f"metrics history {found[0]['name']}", database_url).out


def test_a_negative_figure_follows_two_dashes(database_url: str) -> None:
    assert command("metrics report temperature -- -3.5 room=1", database_url).code == 0
    assert command("metrics reported --json", database_url).document["metrics"][0]["value"] == -3.5


def test_a_figure_that_cannot_be_stored_is_refused_with_a_reason(database_url: str) -> None:
    for words in ("gpu-load 1", "load nan", "load 1 host", "load 1 1st=a", "holdfast_jobs 1"):
        refused = command(f"metrics report {words}", database_url)
        assert refused.code == 2, words
        assert refused.err != ""


def test_how_long_statistics_are_kept_is_set_with_a_reason(database_url: str) -> None:
    assert command("queues keep-statistics 2d 60d", database_url).code == 2, "no reason"
    done = command("queues keep-statistics 2d 60d --reason months", database_url)
    assert (done.code, "60d" in done.out) == (0, True)
    (event,) = command("audit list --kind keep_statistics --json", database_url).document["events"]
    assert event["reason"] == "months"
    assert command("queues keep-statistics 9d 8d --reason no", database_url).code == 2


def test_the_depth_of_a_queue_is_shown_by_minute(database_url: str) -> None:
    given(
        database_url,
        "select holdfast.enqueue('task') from generate_series(1, 1200)",
        "select holdfast.sample_depths()",
    )
    (sample,) = command("queues depth default --json", database_url).document["samples"]
    assert sample.keys() == SAMPLE_KEYS
    assert (sample["ready"], sample["running"]) == (1200, 0)
    assert "1,200" in command("queues depth --since 1h", database_url).out
    assert command("queues depth other --json", database_url).document["samples"] == []


def test_a_count_that_was_cut_off_is_shown_with_the_newest_sample(database_url: str) -> None:
    given(
        database_url,
        "select holdfast.enqueue_jobs(array['t'], array_fill('{}'::json, array[10500]))",
    )
    assert ">10,000 (" not in command("queues list", database_url).out
    given(
        database_url,
        "select holdfast.sample_depths()",
        "update holdfast.depth_samples set sampled_at = sampled_at - interval '2 hours'",
    )
    for words in ("queues list", "queues show default", "stats", "report"):
        assert ">10,000 (10,500 2 h ago)" in command(words, database_url).out, words
    (queue,) = command("queues list --json", database_url).document["queues"]
    assert (queue["ready"], queue["more_than"], queue["sampled_ready"]) == (10_000, ["ready"], 10_500)
    need = command("workers recommend default --json", database_url).document
    assert (need["ready"], need["sampled_at"]) == (10_500, queue["sampled_at"])
    assert "10,500 (counted 2 h ago)" in command("workers recommend default", database_url).out
    (reported,) = command("report --json", database_url).document["queues"]["items"]
    assert (reported["sampled_ready"], reported["sampled_at"]) == (10_500, queue["sampled_at"])


def test_workers_that_left_are_shown_by_hour_and_group(database_url: str) -> None:
    given(
        database_url,
        "select holdfast.register_worker(gen_random_uuid(), '{default}', '{\"group\": \"gpu\"}')"
        " from generate_series(1, 3)",
        'select holdfast.stop_worker(id, \'{"processed": 5, "left_as": "done"}\') from holdfast.workers',
    )
    (hour,) = command("workers left --json", database_url).document["hours"]
    assert hour.keys() == LEFT_KEYS
    assert (hour["group"], hour["workers"], hour["done"], hour["processed"]) == ("gpu", 3, 3, 15)
    assert "gpu" in command("workers left --since 2h --group gpu", database_url).out
    assert command("workers left --group cpu --json", database_url).document["hours"] == []
