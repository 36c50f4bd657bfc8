"""`holdfast dead`: triage and replay of dead letters."""

import json
import re
import signal
import subprocess
import sys
import threading

from holdfast.cli.frame.common_options import actor
from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, complete, completed_job, fail, ready_job
from tests.cli.command import environment, eventually, holdfast
from tests.cli.scene import dead_jobs, given, rows, states, trail
from tests.patience import PATIENCE

LETTER_KEYS = {
    *("job", "generation", "queue", "task", "run", "reason", "error_class", "error_type", "message", "place"),
    *("fingerprint", "died_at", "status", "assignee", "replays", "replayed_at", "replayed_by", "outcome"),
    "replaced_by",
}


def end_the_next(url: str, completes: bool) -> None:
    """A worker takes the next job of the default queue and ends it."""

    async def work(conn: Connection) -> bool:
        worker = await a_worker(conn)
        for job in await claim(conn, worker):
            return await (complete(conn, job) if completes else fail(conn, job, "permanent"))
        return False

    eventually(lambda: given(url, work))


def test_letters_are_listed_newest_first_and_by_filter(database_url: str) -> None:
    first, second = dead_jobs(database_url, 2)
    (other,) = dead_jobs(database_url, 1, "quite another", task="other", queue="b")

    def listed(*filters: str) -> list[str]:
        answer = holdfast("dead", "list", "--json", *filters, url=database_url)
        assert answer.code == 0, answer.err
        return [letter["job"] for letter in answer.document["letters"]]

    assert listed() == [other, second, first]
    assert listed("--limit", "1") == [other]
    assert listed("--queue", "b") == listed("--task", "other") == [other]
    assert listed("--error", "KeyError") == listed("--status", "resolved") == listed("--assignee", "Bo") == []
    assert listed("--since", "1h") == [other, second, first]
    assert listed("--since", "0s") == []
    table = holdfast("dead", "list", url=database_url, COLUMNS="80")
    assert table.lines[1].startswith(f"{other[-12:]}  other ")
    assert max(map(len, table.lines)) <= 80


def test_a_group_holds_those_that_died_of_the_same(database_url: str) -> None:
    dead_jobs(database_url, 3, "no place 17")
    (other,) = dead_jobs(database_url, 1, "quite another")
    groups = holdfast("dead", "groups", "--json", url=database_url).document["groups"]
    assert [(group["letters"], group["message"]) for group in groups] == [
        (3, "no place 17"),
        (1, "quite another"),
    ]
    mark = groups[1]["fingerprint"]
    found = holdfast("dead", "list", "--fingerprint", mark, "--json", url=database_url).document["letters"]
    assert [letter["job"] for letter in found] == [other]
    assert mark in holdfast("dead", "groups", url=database_url).out


def test_a_letter_is_shown_with_its_payload_attempts_and_notes(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1, payload={"size": 3})
    noted = holdfast("dead", "note", "the disk was full", job, url=database_url)
    assert noted.out == "1 changed\n"
    assigned = holdfast("dead", "assign", "Bo", job, "--reason", "knows disks", "--json", url=database_url)
    assert assigned.document == {"changed": 1}
    sheet = holdfast("dead", "show", job, "--json", url=database_url).document
    assert sheet.keys() == LETTER_KEYS | {"attempts", "notes", "payload", "labels", "created_at"}
    assert (sheet["assignee"], sheet["status"], len(sheet["attempts"])) == ("Bo", "open", 1)
    assert sheet["payload"] == {"size": 3}
    assert [(note["author"], note["note"]) for note in sheet["notes"]] == [(actor(), "the disk was full")]
    text = holdfast("dead", "show", job, url=database_url).out
    assert "the disk was full" in text
    assert "ValueError: it broke" in text
    assert re.search(r'^payload +{"size": 3}$', text, re.MULTILINE), text


def test_a_job_without_a_letter_is_not_found(database_url: str) -> None:
    job = str(given(database_url, ready_job))
    assert holdfast("dead", "show", job, url=database_url).code == 5
    assert holdfast("dead", "note", "words", job, url=database_url).code == 5


def test_resolved_letters_stay_dead_when_the_rest_is_replayed(database_url: str) -> None:
    kept, back = dead_jobs(database_url, 2)
    done = holdfast("dead", "resolve", kept, "--as", "ignored", "--reason", "no harm", url=database_url)
    assert done.code == 0, done.err
    assert trail(database_url, "triage") == {(kept, actor(), "no harm")}
    dry = holdfast("dead", "replay", "--all", "--dry-run", url=database_url)
    assert (dry.lines, "would replay 1 job" in dry.err) == ([back], True)
    replayed = holdfast("dead", "replay", "--all", "--yes", "--reason", "mended", url=database_url)
    assert replayed.out == "1 replayed\n", replayed.err
    assert states(database_url) == {kept: "dead", back: "ready"}
    assert trail(database_url, "replay") == {(back, actor(), "mended")}


def test_a_bulk_replay_needs_a_choice_and_a_yes(database_url: str) -> None:
    jobs = dead_jobs(database_url, 2)
    assert holdfast("dead", "replay", url=database_url).code == 2
    assert holdfast("dead", "replay", "--all", url=database_url).code == 2
    assert holdfast("dead", "replay", jobs[0], "--queue", "default", url=database_url).code == 2
    assert holdfast("dead", "resolve", "--queue", "default", url=database_url).code == 2
    assert set(states(database_url).values()) == {"dead"}


def test_only_the_group_that_is_named_is_replayed_at_its_pace(database_url: str) -> None:
    mended = dead_jobs(database_url, 6, "the model was down")
    other = dead_jobs(database_url, 2, "bad payload")
    mark = rows(database_url, "select fingerprint from holdfast.dead_letters where job_id = $1", mended[0])
    answer = holdfast(
        *("dead", "replay", "--fingerprint", mark[0][0], "--pace", "20/s", "--yes", "--json"),
        url=database_url,
    )
    assert answer.document["replayed"] == 6
    assert states(database_url) == dict.fromkeys(mended, "ready") | dict.fromkeys(other, "dead")
    again = holdfast("dead", "replay", "--fingerprint", mark[0][0], "--yes", url=database_url)
    assert again.out == "0 replayed\n", "what was replayed is not dead any more"
    replays = rows(database_url, "select at from holdfast.event_view where cause = 'replay' order by at")
    assert (replays[-1]["at"] - replays[0]["at"]).total_seconds() >= 0.05, "they were not all at once"


def test_one_named_job_is_replayed_and_a_live_one_is_refused(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1)
    assert holdfast("dead", "replay", job, url=database_url).out == f"{job} replayed\n"
    assert holdfast("dead", "replay", job, url=database_url).code == 6


def test_a_job_that_completed_is_not_replayed_as_if_it_were_dead(database_url: str) -> None:
    completed = str(given(database_url, completed_job).id)
    (again,) = dead_jobs(database_url, 1)
    holdfast("dead", "replay", again, url=database_url)
    end_the_next(database_url, True)
    assert holdfast("dead", "replay", completed, url=database_url).code == 5
    assert holdfast("dead", "replay", again, url=database_url).code == 6
    assert states(database_url) == {completed: "completed", again: "completed"}


def test_an_interrupted_replay_goes_on_when_it_is_called_again(database_url: str) -> None:
    jobs = dead_jobs(database_url, 12)
    command = [sys.executable, "-m", "holdfast", "dead", "replay", "--all", "--yes", "--pace", "4/s"]
    replays = "select count(*) from holdfast.event_view where cause = 'replay'"
    with subprocess.Popen(
        command, env=environment(database_url), stderr=subprocess.PIPE, text=True
    ) as process:
        eventually(lambda: rows(database_url, replays)[0][0] >= 2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "of 12; run the same command again" in said
    assert "dead" in states(database_url).values(), "it was interrupted in time"
    assert holdfast("dead", "replay", "--all", "--yes", url=database_url).code == 0
    assert states(database_url) == dict.fromkeys(jobs, "ready")
    assert rows(database_url, replays)[0][0] == 12, "none was replayed twice"


def test_an_edited_payload_is_a_new_job_in_the_place_of_the_dead_one(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1, payload={"size": "large"})
    dead_jobs(database_url, 1)
    assert holdfast("dead", "replay", "--all", "--payload", "{}", url=database_url).code == 2
    answer = holdfast("dead", "replay", job, "--payload", '{"size": 3}', "--json", url=database_url)
    new = answer.document["replaced_by"]
    shown = holdfast("jobs", "show", new, "--json", url=database_url).document
    assert (shown["payload"], shown["state"]) == ({"size": 3}, "ready")
    letter = holdfast("dead", "show", job, "--json", url=database_url).document
    assert (letter["replaced_by"], letter["status"]) == (new, "resolved")
    assert states(database_url)[job] == "dead"


def test_a_canary_that_completes_brings_the_rest_back(database_url: str) -> None:
    jobs = dead_jobs(database_url, 4)
    worker = threading.Thread(target=end_the_next, args=(database_url, True))
    worker.start()
    answer = holdfast("dead", "replay", "--all", "--canary", "--yes", url=database_url)
    worker.join()
    assert (answer.code, answer.out) == (0, "4 replayed\n"), answer.err
    assert states(database_url) == {jobs[0]: "completed"} | dict.fromkeys(jobs[1:], "ready")


def test_a_canary_that_dies_leaves_the_rest_dead(database_url: str) -> None:
    jobs = dead_jobs(database_url, 4)
    worker = threading.Thread(target=end_the_next, args=(database_url, False))
    worker.start()
    answer = holdfast("dead", "replay", "--all", "--canary", "--yes", url=database_url)
    worker.join()
    assert (answer.code, answer.out) == (1, "1 replayed\n")
    assert f"The canary {jobs[0]} ended dead." in answer.err
    assert set(states(database_url).values()) == {"dead"}


def test_an_export_is_a_line_of_json_for_each_letter(database_url: str) -> None:
    jobs = dead_jobs(database_url, 2, payload={"name": "Åsa"}, labels={"team": "a"})
    answer = holdfast("dead", "export", url=database_url)
    lines = [json.loads(line) for line in answer.lines]
    assert [line["job"] for line in lines] == jobs[::-1]
    assert lines[0].keys() == LETTER_KEYS | {"attempts", "notes", "payload", "labels", "created_at"}
    assert (lines[0]["payload"], lines[0]["labels"]) == ({"name": "Åsa"}, {"team": "a"})
    assert "2 exported" in answer.err
