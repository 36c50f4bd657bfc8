"""What has to be true at the end: in the database and on the page each message has one reply, its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from json import loads
from typing import Any

from asyncpg import Record

from examples.chat_replies.tabs import Shown
from examples.verdict import Check, Verdict
from holdfast.db.connect import Database

Ends = Mapping[str, Sequence[Record]]

ENDS = "select unique_key, state, output, losses from holdfast.job_view where task = 'reply'"
PLANTS = {
    "delete-row": "delete from holdfast.history where id = (select id from holdfast.history limit 1)",
    "double-reply": """
insert into holdfast.history
select (jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid()))).*
from holdfast.history as h
limit 1
""",
    "wrong-entity": """
update holdfast.history set output = '{"entity": "somebody else", "text": "yes"}'
where id = (select id from holdfast.history limit 1)
""",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """`who`: six tabs or what took their place. `victim`: the message that the killed worker had."""

    who: str
    sent: int
    shown: Sequence[Shown]
    victim: str | None


async def plant(database: Database, evidence: Evidence, fault: str) -> Evidence:
    if fault == "lost-on-the-page":
        first, *others = evidence.shown
        return replace(evidence, shown=[replace(first, replies=()), *others])
    await database.execute(PLANTS[fault])
    return evidence


async def judge(database: Database, evidence: Evidence) -> Verdict:
    ends: dict[str, list[Record]] = {}
    for row in await database.fetch(ENDS):
        ends.setdefault(row["unique_key"], []).append(row)
    by_id = {line.id: line for line in evidence.shown}
    sent = len(by_id) == len(evidence.shown) == evidence.sent
    return Verdict(
        [
            Check("messages came from six tabs at once", sent, f"{evidence.sent} messages, {evidence.who}"),
            _one_reply(ends, by_id),
            _own_reply(ends, by_id),
            _on_the_page(evidence.shown),
            _survived(ends, evidence.victim),
        ]
    )


def _one_reply(ends: Ends, sent: Mapping[str, Shown]) -> Check:
    missing = sum(all(row["state"] != "completed" for row in ends.get(one, ())) for one in sent)
    doubled = sum(len(rows) > 1 for rows in ends.values())
    strangers = len(ends.keys() - sent.keys())
    found = f"{len(ends)} in the database, {missing} missing, {doubled} doubled"
    return Check("every message has exactly one reply", not (missing or doubled or strangers), found)


def _own_reply(ends: Ends, sent: Mapping[str, Shown]) -> Check:
    replies = [(sent[one], loads(row["output"] or "null")) for one, rows in ends.items() for row in rows]
    wrong = sum(not _fits(line, said) for line, said in replies)
    return Check("each with its own entity and text", not wrong, f"{len(replies)} compared, {wrong} differ")


def _on_the_page(shown: Sequence[Shown]) -> Check:
    right = sum(len(line.replies) == 1 and _fits(line, line.replies[0]) for line in shown)
    return Check("the page shows each reply once", right == len(shown) > 0, f"{right} of {len(shown)}")


def _survived(ends: Ends, victim: str | None) -> Check:
    again = [row for row in ends.get(victim or "", ()) if row["losses"] > 0 and row["state"] == "completed"]
    found = "its message was taken back after 300 s and answered" if again else "nothing of it was lost"
    return Check("a worker was killed while it had a message", victim is not None, found)


def _fits(line: Shown, reply: Any) -> bool:
    return isinstance(reply, dict) and reply == {
        "entity": line.entity,
        "text": f"About {line.text!r}: yes.",
    }
