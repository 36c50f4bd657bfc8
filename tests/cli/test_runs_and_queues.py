"""`holdfast runs`, `queues`, `workers` and `doctor`: the verbs, and the shape of what they print."""

import asyncio
import re

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, settle
from tests.cli.command import holdfast
from tests.cli.scene import given, rows

PROGRESS_KEYS = {
    *("id", "name", "state", "total", "waiting", "scheduled", "ready", "running", "completed", "rejected"),
    *("cancelled", "dead", "started_at", "ended_at", "rate_per_minute", "eta", "eta_low"),
    *(
        "eta_high",
        "budget",
        "spent",
        "reserved",
        "max_units",
        "used_units",
        "reserved_units",
        "more_than",
        "blocker",
        "units",
        "cost",
        "no_eta",
    ),
}
RUN_KEYS = {
    *("id", "name", "state", "total", "completed", "rejected", "cancelled", "dead", "created_at", "ended_at"),
    *("origin", "login", "role", "claimed_actor", "units", "cost", "labels"),
}
QUEUE_KEYS = {
    *("name", "paused_at", "paused_reason", "waiting", "scheduled", "ready", "running", "oldest_ready"),
    *("max_concurrent", "rate", "more_than", "sampled_at", "sampled_waiting", "sampled_scheduled"),
    *("sampled_ready", "sampled_running", "paused_by"),
}
POLICY_KEYS = {
    *("priority", "max_failures", "max_losses", "retry", "timeout", "max_wait", "rescue_delay"),
    *("cancel_grace", "ageing", "weight", "detail", "retention", "payload_limit", "endpoint", "notify"),
    *("logs", "stats_label", "created_at"),
}
WORKER_KEYS = {
    *("id", "group", "queues", "state", "slots", "running", "processed", "failed", "host", "pid", "version"),
    *("started_at", "renewed_at", "lease_until", "released", "stopped_at", "life_span", "run", "index"),
    *("claim_size", "box_until", "drain_asked", "metadata", "slots_from", "claim_size_from"),
    *("memory", "cpu", "loop_lag"),
}
NEED_KEYS = {
    "limited_by",
    "most",
    "sampled_at",
    *("queue", "workers", "slots", "rate_per_minute", "forecast_per_minute", "seconds_per_job", "ready"),
    "running",
}


def test_a_run_is_started_filled_sealed_cancelled_and_replayed(database_url: str) -> None:
    run = holdfast("runs", "start", "nightly", url=database_url).out.strip()
    holdfast("enqueue", "greet", "--run", run, "--count", "2", url=database_url)
    assert holdfast("runs", "seal", run, url=database_url).out == f"{run} sealed\n"
    assert holdfast("runs", "wait", run, "--timeout", "0.1s", url=database_url).code == 7
    shown = holdfast("runs", "show", run, "--json", url=database_url).document
    assert shown.keys() == PROGRESS_KEYS
    assert (shown["name"], shown["state"], shown["total"], shown["ready"]) == ("nightly", "sealed", 2, 2)

    assert holdfast("runs", "cancel", run, url=database_url).code == 2, "nobody said --yes"
    assert "would cancel 2 jobs" in holdfast("runs", "cancel", run, "--dry-run", url=database_url).err
    cancelled = holdfast("runs", "cancel", run, "--yes", "--reason", "enough", url=database_url)
    assert cancelled.out == f"{run} 2 cancelled or asked to stop\n"
    replayed = holdfast("runs", "replay", run, "--which", "all", "--yes", url=database_url)
    assert replayed.out == f"{run} 2 replayed\n"
    listed = holdfast("runs", "list", "--json", url=database_url).document["runs"]
    assert [one.keys() for one in listed] == [RUN_KEYS]


def test_a_run_shows_an_estimate_before_its_first_end_or_why_there_is_none(database_url: str) -> None:
    run = holdfast("runs", "start", "nightly", url=database_url).out.strip()
    holdfast("enqueue", "greet", "--run", run, "--count", "20", url=database_url)

    def shown() -> str:
        sheet = holdfast("runs", "show", run, url=database_url, COLUMNS="120").lines
        return " ".join(next(line for line in sheet if line.startswith("eta ")).split()[1:])

    async def timed(conn: Connection) -> None:
        await conn.execute(
            """
            insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
            values (date_trunc('minute', now()), 'default', 'greet', 'completed', 10, 0, '{}', '{"40": 10}')
            """
        )

    assert shown() == "none: no run time of the queue default is known"
    given(database_url, timed)
    assert shown() == "none: no worker is there for its jobs"

    async def served(conn: Connection) -> None:
        await a_worker(conn, slots=2)

    given(database_url, served)
    assert re.fullmatch(r"1\d\d s \(.+ to .+\), by the run times of earlier jobs", shown())
    document = holdfast("runs", "show", run, "--json", url=database_url).document
    assert document["eta_low"] <= document["eta"] <= document["eta_high"]
    assert document["no_eta"] is None


def test_a_job_cannot_join_a_sealed_run(database_url: str) -> None:
    run = holdfast("runs", "start", "nightly", url=database_url).out.strip()
    holdfast("runs", "seal", run, url=database_url)
    refused = holdfast("enqueue", "greet", "--run", run, url=database_url)
    assert refused.code == 6, refused.err


def test_all_queues_are_paused_and_resumed_and_pauses_of_single_ones_stay(database_url: str) -> None:
    for queue in ("chat", "mail"):
        holdfast("queues", "set", queue, "timeout=2m", url=database_url)
    holdfast("queues", "pause", "mail", "--reason", "the model is down", url=database_url)
    paused = holdfast("queues", "pause", "--all", "--reason", "a copy", url=database_url)
    assert (paused.code, paused.out) == (0, "paused: all queues\n")
    assert "hint: holdfast queues resume --all" in paused.err
    listed = holdfast("queues", "list", url=database_url, COLUMNS="80")
    assert [line.split()[1] for line in listed.lines[1:]] == ["paused", "paused"]
    assert "note: all queues have been paused since" in listed.err
    one = holdfast("queues", "resume", "chat", url=database_url)
    assert "note: all queues have been paused since" in one.err
    doctor = holdfast("doctor", "--json", url=database_url).document["findings"]
    (found,) = [finding for finding in doctor if finding["check"] == "queues"]
    assert (found["level"], found["fix"]) == ("note", "holdfast queues resume --all")
    assert found["message"].endswith(": a copy.")
    resumed = holdfast("queues", "resume", "--all", url=database_url)
    assert (resumed.code, resumed.out) == (0, "resumed: all queues\n")
    assert "still paused by name: mail" in resumed.err
    listed = holdfast("queues", "list", url=database_url, COLUMNS="80")
    assert [line.split()[1] for line in listed.lines[1:]] == ["open", "paused"]
    assert listed.err == ""


@pytest.mark.parametrize("words", [["pause"], ["resume"], ["pause", "mail", "--all"]])
def test_a_pause_needs_one_queue_or_all(database_url: str, words: list[str]) -> None:
    refused = holdfast("queues", *words, url=database_url)
    assert refused.code == 2
    assert "give the name of one queue, or --all" in refused.err


def test_a_queue_is_set_shown_paused_and_resumed(database_url: str) -> None:
    settings = ["timeout=2m", "retry=chat", "priority=70", "retention=30d", "notify=false"]
    assert holdfast("queues", "set", "mail", *settings, url=database_url).code == 0
    shown = holdfast("queues", "show", "mail", "--json", url=database_url).document
    assert shown.keys() == QUEUE_KEYS | POLICY_KEYS
    assert (shown["timeout"], shown["priority"], shown["notify"]) == (120.0, 70, False)
    assert shown["retention"] == 30 * 86_400
    assert shown["retry"], "the preset is stored as a policy"

    holdfast("queues", "pause", "mail", "--reason", "the model is down", url=database_url)
    (paused,) = holdfast("queues", "list", "--json", url=database_url).document["queues"]
    assert paused.keys() == QUEUE_KEYS
    assert paused["paused_reason"] == "the model is down"
    assert "paused" in holdfast("queues", "list", url=database_url, COLUMNS="80").out
    holdfast("queues", "resume", "mail", url=database_url)
    assert holdfast("queues", "show", "mail", "--json", url=database_url).document["paused_at"] is None


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("5m", {"delays": [300]}),
        ("90", {"delays": [90]}),
        ('["5m", 600]', {"delays": [300, 600]}),
        ("posts", {"delays": [60, 300, 900]}),
        ("null", None),
    ],
)
def test_the_rest_after_a_loss_is_set_as_a_retry_policy_or_one_duration(
    database_url: str, given: str, stored: object
) -> None:
    assert holdfast("queues", "set", "mail", f"rescue_delay={given}", url=database_url).code == 0
    assert holdfast("queues", "show", "mail", "--json", url=database_url).document["rescue_delay"] == stored


def test_a_setting_that_does_not_exist_or_does_not_fit_is_refused(database_url: str) -> None:
    for setting in ("colour=red", "priority=1000", "timeout=soon", "rescue_delay=soon", "nonsense"):
        refused = holdfast("queues", "set", "mail", setting, url=database_url)
        assert refused.code == 2, f"{setting}: {refused.err}"
        assert "\nhint: " in refused.err


def test_the_doctor_finds_nothing_wrong_with_a_healthy_database(empty_database_url: str) -> None:
    holdfast("migrate", url=empty_database_url)
    result = holdfast("doctor", "--json", url=empty_database_url)
    assert result.code == 0, result.out
    assert result.document["ok"] is True
    for finding in result.document["findings"]:
        assert finding.keys() == {"check", "level", "message", "fix"}
        assert (finding["fix"] is None) == (finding["level"] == "ok")


async def test_the_doctor_sees_what_is_wrong_and_says_how_to_mend_it(database_url: str) -> None:
    conn = await asyncpg.connect(database_url)
    await conn.execute("alter table holdfast.jobs set (autovacuum_vacuum_scale_factor = 0.2)")
    await conn.execute("select holdfast.register_worker(gen_random_uuid(), array['mail'], '{\"lease\": 1}')")
    await conn.execute("update holdfast.workers set lease_until = lease_until - interval '1 hour'")
    await conn.execute("select holdfast.enqueue('greet', queue => 'lonely')")
    await conn.close()
    result = await asyncio.to_thread(holdfast, "doctor", "--json", url=database_url)
    assert result.code == 1
    assert result.document["ok"] is False
    found = {one["check"]: one for one in result.document["findings"]}
    assert found["autovacuum"]["level"] == "wrong"
    assert found["autovacuum"]["fix"] == "alter table holdfast.jobs set (autovacuum_vacuum_scale_factor = 0)"
    assert found["workers"]["level"] == "wrong"
    assert found["queues"]["level"] == "note"
    assert "lonely" in found["queues"]["message"]
    listed = await asyncio.to_thread(holdfast, "workers", "list", "--all", "--json", url=database_url)
    (worker,) = listed.document["workers"]
    assert worker.keys() == WORKER_KEYS
    assert worker["state"] == "lost"


def test_the_doctor_names_a_missing_schema(empty_database_url: str) -> None:
    result = holdfast("doctor", "--json", url=empty_database_url)
    assert result.code == 1
    found = {one["check"]: one for one in result.document["findings"]}
    assert found["schema"]["fix"] == "run 'holdfast migrate'"


def test_the_limits_of_a_queue_are_set_shown_and_taken_off(database_url: str) -> None:
    assert (
        holdfast("queues", "set", "mail", "max_concurrent=4", "rate=100/minute", url=database_url).code == 0
    )
    (listed,) = holdfast("queues", "list", "--json", url=database_url).document["queues"]
    assert (listed["max_concurrent"], listed["rate"]) == (4, "100/minute")
    assert "100/minute" in holdfast("queues", "list", url=database_url, COLUMNS="120").out
    holdfast("queues", "set", "mail", "max_concurrent=none", "rate=null", url=database_url)
    shown = holdfast("queues", "show", "mail", "--json", url=database_url).document
    assert (shown["max_concurrent"], shown["rate"]) == (None, None)
    refused = holdfast("queues", "set", "mail", "rate=fast", url=database_url)
    assert refused.code == 2
    assert "rate must be a number of starts per time" in refused.err


def test_the_budget_of_a_run_is_given_and_raised(database_url: str) -> None:
    run = holdfast("runs", "start", "import", "--budget", "5 USD", url=database_url).out.strip()
    raised = holdfast("runs", "raise-budget", run, "8", "--reason", "worth it", url=database_url)
    assert raised.out == f"{run} 0 jobs continue\n"
    refused = holdfast("runs", "raise-budget", run, "7", url=database_url)
    assert refused.code == 2
    assert "must be more than the present one" in refused.err
    trail = rows(database_url, "select cause, reason, detail ->> 'before' from holdfast.event_view")
    assert [tuple(row) for row in trail] == [("raise_budget", "worth it", "5")]


def test_a_run_shows_what_is_used_reserved_and_allowed(database_url: str) -> None:
    """Two calls of ten units each, at a quarter of a dollar the unit: one is done, the other runs."""
    holdfast("endpoints", "set", "model", "price=0.25", "mode=fixed", "max=8", url=database_url)
    run = holdfast(
        "runs", "start", "import", "--budget", "8 USD", "--max-units", "40", url=database_url
    ).out.strip()
    options = ("--run", run, "--endpoint", "model", "--estimate", "10", "--count", "2")
    assert holdfast("enqueue", "ask", *options, url=database_url).code == 0
    given(database_url, one_of_two_is_done)
    shown = holdfast("runs", "show", run, "--json", url=database_url).document
    assert (shown["budget"], shown["spent"], shown["reserved"]) == (8, 3, 2.5)
    assert (shown["max_units"], shown["used_units"], shown["reserved_units"]) == (40, 12, 10)
    sheet = holdfast("runs", "show", run, url=database_url, COLUMNS="100").out
    assert re.search(r"^budget +3 used, 2\.5 reserved, limit 8$", sheet, re.MULTILINE), sheet
    assert re.search(r"^units +12 used, 10 reserved, limit 40$", sheet, re.MULTILINE), sheet


async def one_of_two_is_done(conn: Connection) -> None:
    done, _ = await claim(conn, await a_worker(conn), 2)
    assert await settle(conn, done, "complete", {"units": 12})


def test_the_units_of_a_run_are_raised_alone(database_url: str) -> None:
    run = holdfast("runs", "start", "import", "--max-units", "40", url=database_url).out.strip()
    assert holdfast("runs", "raise-budget", run, "--max-units", "60", url=database_url).code == 0
    shown = holdfast("runs", "show", run, "--json", url=database_url).document
    assert (shown["budget"], shown["max_units"]) == (None, 60)
    assert "budget" not in holdfast("runs", "show", run, url=database_url).out
    refused = holdfast("runs", "raise-budget", run, url=database_url)
    assert (refused.code, "No new budget is given" in refused.err) == (2, True)


def test_runs_are_listed_by_origin_and_actor(database_url: str) -> None:
    nightly = holdfast(
        "runs", "start", "nightly", "--origin", "scheduled", "--actor", "cron", url=database_url
    )
    other = holdfast("runs", "start", "by hand", url=database_url)
    for option, value, found in [
        ("--origin", "scheduled", [nightly]), ("--origin", "manual", [other]), ("--origin", "import", []),
        ("--actor", "cron", [nightly]), ("--actor", "holdfast", [other, nightly]),
    ]:  # fmt: skip
        listed = holdfast("runs", "list", option, value, "--json", url=database_url).document["runs"]
        assert [run["id"] for run in listed] == [run.out.strip() for run in found], (option, value)
