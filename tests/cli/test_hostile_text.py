"""Names and messages from elsewhere: they forge no row, steer no terminal and end no quote."""

import shlex

import pytest

from holdfast.db.connect import Connection
from holdfast.model.printable import printable
from tests.builders import a_worker, ready_job, running_job
from tests.cli.command import holdfast
from tests.cli.scene import dead_jobs, given, rows

FORGED = "nothing\n01a1e117-f02c-7216-b768-ff1b30215dc2  completed  all is well\r\x1b[2K\x9b1A\u2028\u202eend"
NASTY = "a b; echo $(id) 'x' `y`"


@pytest.mark.parametrize(
    "command",
    [
        ("dead", "list"),
        ("dead", "groups"),
        ("dead", "show", "{job}"),
        ("jobs", "list", "--state", "dead"),
        ("jobs", "show", "{job}"),
        ("queues", "list"),
        ("workers", "list"),
        ("doctor",),
    ],
    ids=lambda command: "_".join(command[:2]),
)
def test_a_line_break_makes_no_row(database_url: str, command: tuple[str, ...]) -> None:
    async def make(conn: Connection) -> None:
        await conn.execute("update holdfast.attempts set traceback = $1, host = $1", FORGED)
        worker = await a_worker(conn, [FORGED], host=FORGED)
        await running_job(conn, worker, queue=FORGED, task=FORGED, labels={FORGED: FORGED})
        await ready_job(conn, queue=FORGED + "2", task=FORGED)

    (job,) = dead_jobs(database_url, 1, FORGED, task=FORGED)
    given(database_url, make)
    answer = holdfast(*(word.format(job=job) for word in command), url=database_url)
    assert answer.code in (0, 1), answer.err
    for text in (answer.out, answer.err):
        assert not any(line.startswith("01a1e117") for line in text.splitlines())
        assert all(one.isprintable() or one == "\n" for one in text)
    assert "\\n01a1e117" in answer.out or "  01a1e117" in answer.out


def test_json_says_the_same_and_steers_no_terminal(database_url: str) -> None:
    dead_jobs(database_url, 1, FORGED, task=FORGED)
    answer = holdfast("dead", "list", "--json", url=database_url)
    (stored,) = rows(database_url, "select message, task from holdfast.dead_letters")
    (letter,) = answer.document["letters"]
    assert (letter["message"], letter["task"]) == (stored["message"], FORGED)
    assert all(one.isprintable() or one == "\n" for one in answer.out)


@pytest.mark.parametrize("noun", ["queues", "endpoints"])
def test_a_command_to_copy_is_quoted_for_the_shell(database_url: str, noun: str) -> None:
    assert (
        holdfast(
            noun, "set", NASTY, *(["max=4"] if noun == "endpoints" else ["priority=5"]), url=database_url
        ).code
        == 0
    )
    answer = holdfast(noun, "pause" if noun == "queues" else "open", NASTY, url=database_url)
    assert answer.code == 0, answer.err
    copied = answer.err.strip().removeprefix("hint: ")
    assert shlex.split(copied)[1:] == [noun, "resume" if noun == "queues" else "close", NASTY]
    assert holdfast(*shlex.split(copied)[1:], url=database_url).code == 0


def test_the_doctors_command_is_quoted_for_the_shell(database_url: str) -> None:
    given(database_url, lambda conn: ready_job(conn, queue=NASTY))
    lines = holdfast("doctor", url=database_url).lines
    (fix,) = [line for line in lines if "--queues" in line]
    assert shlex.split(fix.partition("fix: ")[2])[-1] == NASTY


@pytest.mark.parametrize("word", ["", "plain", "with space", NASTY, "it's", "$(id)", "a\nb", "--x=1,2", "ü"])
def test_the_database_quotes_for_the_shell_too(database_url: str, word: str) -> None:
    ((quoted,),) = rows(database_url, "select holdfast.shell_word($1)", word)
    assert shlex.split(quoted) == [word]


def test_what_is_printable_is_left_alone() -> None:
    assert printable("plain Ünïcödé 😀") == "plain Ünïcödé 😀"
    assert printable("a\tb\nc\x1b") == "a\\tb\\nc\\x1b"
