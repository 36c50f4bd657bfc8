"""The log of `holdfast worker`, as people and programs read it."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import Result, holdfast, holdfast_process

APP = """
import logging

from holdfast import Holdfast, Permanent

app = Holdfast()
log = logging.getLogger("shop.mail")


@app.task()
async def greet() -> None:
    log.info("greeting\\n2026-01-01 ERROR forged")
    log.debug("in detail")
    logging.getLogger("httpx").info("GET https://example.com")
    logging.getLogger("httpx").warning("slow")


@app.task()
def in_thread() -> None:
    log.info("working")


@app.task(mode="process")
def in_process() -> None:
    log.info("working")


@app.task()
async def broken() -> None:
    raise Permanent("api_key=abcdef0123456789 was refused")
"""
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (\d+) (\w+) +(.*)")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "jobs.py").write_text(APP)
    return tmp_path


def enqueue(url: str, task: str) -> str:
    return holdfast("enqueue", task, url=url).out.strip()


def work(url: str, shop: Path, *options: str) -> Result:
    done = holdfast_process(*options, "worker", "-A", "shop.jobs", "--drain", url=url, cwd=shop)
    assert done.code == 0, done.err
    return done


def lines(err: str) -> list[tuple[str, str]]:
    return [(match[2], match[3]) for match in map(LINE.fullmatch, err.splitlines()) if match]


def test_the_app_is_logged_with_its_job_and_libraries_only_when_they_warn(
    database_url: str, shop: Path
) -> None:
    job = enqueue(database_url, "greet")
    told = lines(work(database_url, shop).err)
    of = f"[greet {job[-12:]} attempt 1]"
    assert ("INFO", rf"shop.mail: greeting\n2026-01-01 ERROR forged {of}") in told
    assert ("WARNING", f"httpx: slow {of}") in told
    assert not any("GET https" in text or "in detail" in text or "job completed" in text for _, text in told)
    assert [text.split(":")[0] for _, text in told if text.startswith("worker ")] == [
        "worker started",
        "worker stopping",
        "worker stopped",
    ]


@pytest.mark.slow
def test_at_debug_successes_and_the_app_s_details_are_logged_but_no_library(
    database_url: str, shop: Path
) -> None:
    job = enqueue(database_url, "greet")
    told = [text for _, text in lines(work(database_url, shop, "--log-level", "debug").err)]
    assert f"job started: greet {job[-12:]} attempt 1" in told
    assert any(text.startswith(f"job completed: greet {job[-12:]} attempt 1, after ") for text in told)
    assert f"shop.mail: in detail [greet {job[-12:]} attempt 1]" in told
    assert not any("GET https" in text for text in told)


@pytest.mark.slow
def test_threads_and_child_processes_write_the_same_log(database_url: str, shop: Path) -> None:
    thread, process = enqueue(database_url, "in_thread"), enqueue(database_url, "in_process")
    done = work(database_url, shop)
    told = [text for _, text in lines(done.err)]
    assert f"shop.mail: working [in_thread {thread[-12:]} attempt 1]" in told
    assert f"shop.mail: working [in_process {process[-12:]} attempt 1]" in told
    assert len({match[1] for match in map(LINE.fullmatch, done.err.splitlines()) if match}) == 2, "two pids"


@pytest.mark.slow
def test_json_is_one_object_per_line_with_the_message_redacted(database_url: str, shop: Path) -> None:
    job, process = enqueue(database_url, "broken"), enqueue(database_url, "in_process")
    done = work(database_url, shop, "--log-format", "json")
    told = [json.loads(line) for line in done.err.splitlines() if not line.startswith("holdfast:")]
    (dead,) = [one for one in told if one.get("event") == "job.dead"]
    assert (dead["job"], dead["task"], dead["attempt"]) == (job, "broken", 1)
    assert (dead["level"], dead["reason"]) == ("error", "permanent")
    assert dead["because"] == "api_key=[redacted] was refused"
    assert "abcdef" not in done.err
    (working,) = [one for one in told if one["message"].startswith("shop.mail: working")]
    assert (working["job"], working["task"], working["logger"]) == (process, "in_process", "shop.mail")
    assert working["pid"] != dead["pid"]


def test_a_level_that_the_app_sets_is_kept(database_url: str, shop: Path) -> None:
    quiet = APP + '\nlogging.getLogger("shop").setLevel("ERROR")\n'
    (shop / "shop" / "jobs.py").write_text(quiet)
    enqueue(database_url, "greet")
    assert not any("greeting" in text for _, text in lines(work(database_url, shop).err))


def test_an_unknown_format_is_refused() -> None:
    refused = holdfast("--log-format", "xml", "queues", "list")
    assert refused.code == 2
    assert "xml" in refused.err
