"""`holdfast top`: how it looks, what its keys do, and that it works on a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rich.console import Console

from holdfast.cli.top.keys import DOWN, UP, press, split_keys
from holdfast.cli.top.layout import frame
from holdfast.cli.top.view import View, Wish
from holdfast.db.connect import Connection
from holdfast.model.overview import Overview, OverviewEndpoint, OverviewError, OverviewQueue, OverviewWorker
from tests.builders import a_worker, ready_job, report, running_job
from tests.cli.command import environment, eventually, holdfast
from tests.cli.scene import dead_jobs, given, rows, states
from tests.patience import PATIENCE

NOW = datetime(2030, 1, 31, 9, 0, tzinfo=UTC)
MAIL = OverviewQueue("mail", False, 1, 2, 30, 4, NOW - timedelta(minutes=5), 61.5, 7, [])
OLD = OverviewQueue("an-old-queue-with-quite-a-long-name-for-a-queue", True, 0, 0, 123456, 0, NOW, 0.0, 0, [])
WORKERS = [OverviewWorker("host-a.example.org", number, "working", 4, 50, "1.9") for number in range(8)]
ERRORS = [OverviewError("ValueError", "a \x1b[2J message\n" + "x" * 200, 12, NOW - timedelta(seconds=9))]
VIEW = View(Overview(NOW, [MAIL, OLD], WORKERS, ERRORS, []))


def text_of(view: View) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as captured:
        console.print(frame(view, 80))
    return captured.get()


def test_a_frame_fits_into_80_columns_and_says_what_matters() -> None:
    text = text_of(VIEW)
    assert max(map(len, text.splitlines())) <= 80
    words = [line.split() for line in text.splitlines()]
    assert ["mail", "open", "30", "4", "2", "1", "5", "min", "61.5", "7"] in words
    assert "123,456" in text
    assert "ValueError: a \\x1b[2J message" in text
    assert "q quit" in text


def test_a_full_frame_keeps_its_keys_on_a_terminal_of_24_lines() -> None:
    queues = [replace(MAIL, name=f"queue-{number:02}") for number in range(30)]
    endpoints = [OverviewEndpoint("ollama", "open", NOW + timedelta(seconds=40), 3, 4)]
    overview = replace(VIEW.overview, queues=queues, endpoints=endpoints, errors=ERRORS * 5)
    lines = text_of(View(overview)).splitlines()
    assert len(lines) <= 24
    assert lines[-1].startswith("q quit")
    assert any(re.fullmatch(r"… \d+ more", line) for line in lines)
    assert ["ollama", "open", "in", "40", "s", "3/4"] in [line.split() for line in lines]
    shown = [line for line in lines if line.startswith("queue-")]
    (more,) = [line for line in lines[len(shown) : len(shown) + 3] if line.startswith("…")]
    assert len(shown) + int(more.split()[1]) == len(queues)


def test_running_jobs_that_reported_their_progress_are_shown(database_url: str) -> None:
    async def reported(conn: Connection) -> str:
        await running_job(conn, queue="quiet")
        job = await running_job(conn, task="import_catalogue")
        await report(conn, job, done=340, total=1000, note="page 34")
        return str(job.id)

    assert "RUNNING" not in holdfast("top", url=database_url).out
    job = given(database_url, reported)
    shown = holdfast("top", url=database_url, COLUMNS="80").lines
    (line,) = [one for one in shown if one.startswith(job[-12:])]
    assert " 34% 340/1000" in line
    assert max(map(len, shown)) <= 80
    assert holdfast("top", url=database_url, COLUMNS="120").out.count("34% 340/1000: page 34") == 1


def test_an_empty_system_has_a_frame_too() -> None:
    empty = View(Overview(NOW, [], [], [], []))
    assert "QUEUE" in text_of(empty)
    assert [press(empty, key) for key in ("p", "r", DOWN, "\n")] == [(empty, None)] * 4


def test_arrows_select_and_stop_at_the_ends() -> None:
    below, _ = press(VIEW, DOWN)
    assert (below.queue, press(below, DOWN)[0].queue) == (OLD, OLD)
    assert press(press(below, UP)[0], UP)[0].queue is MAIL
    gone = below.seen(replace(VIEW.overview, queues=[MAIL]))
    assert gone.queue is MAIL, "the selected queue may vanish"


def test_a_key_asks_for_what_fits_the_queue() -> None:
    assert press(VIEW, "p")[1] is Wish.PAUSE
    assert press(VIEW.moved(1), "p")[1] is Wish.RESUME
    assert press(VIEW, "\r")[1] is Wish.OPEN
    assert press(VIEW, "q")[1] is Wish.QUIT
    assert press(VIEW, "x") == (VIEW, None)


def test_a_replay_needs_a_yes() -> None:
    asked, wish = press(VIEW, "r")
    assert (asked.asks, wish) == (True, None)
    assert "Replay all dead jobs of mail? y/n" in text_of(asked)
    assert press(asked, "n") == (VIEW, None)
    assert press(asked, "q") == (VIEW, None), "anything but y is a no"
    assert press(asked, "y") == (VIEW, Wish.REPLAY)


def test_an_open_queue_is_left_by_any_key() -> None:
    opened = replace(VIEW, jobs=[])
    assert press(opened, "x") == (VIEW, None)
    assert press(opened, "q")[1] is Wish.QUIT


def test_keys_typed_at_once_are_taken_apart() -> None:
    assert split_keys(f"{DOWN}p{UP}q") == [DOWN, "p", UP, "q"]


def test_without_a_terminal_it_prints_one_frame(database_url: str) -> None:
    given(database_url, a_worker)
    given(database_url, lambda conn: ready_job(conn, queue="mail"))
    dead_jobs(database_url, 1)
    shown = holdfast("top", url=database_url)
    assert shown.code == 0, shown.err
    assert max(map(len, shown.lines)) <= 80
    assert any(line.split()[:3] == ["mail", "open", "1"] for line in shown.lines)
    assert "here:1" in shown.out
    assert "ValueError: it broke" in shown.out


def test_on_a_terminal_keys_pause_and_replay_and_q_leaves(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "holdfast", "top", "--every", "200ms"]
    with subprocess.Popen(
        command, env=environment(database_url, TERM="xterm"), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        try:
            _until(ours, b"q quit")
            os.write(ours, b"p")
            _until(ours, b"is paused")
            os.write(ours, b"ry")
            _until(ours, b"1 replayed")
            os.write(ours, b"q")
            _drain_until_exit(ours, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
    assert process.returncode == 0
    assert states(database_url) == {job: "ready"}
    paused = rows(database_url, "select paused_reason from holdfast.queue_view where paused_at is not null")
    assert [row[0] for row in paused] == ["by holdfast top"]
    os.close(ours)
    os.close(theirs)


def _until(terminal: int, words: bytes) -> None:
    seen, end = b"", time.monotonic() + PATIENCE
    while words not in seen:
        assert time.monotonic() < end, seen[-2000:]
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)


def _drain_until_exit(terminal: int, process: "subprocess.Popen[bytes]") -> None:
    def has_left() -> bool:
        with suppress(OSError):
            if select.select([terminal], [], [], 0)[0]:
                os.read(terminal, 65536)
        return process.poll() is not None

    eventually(has_left)
