"""What has to be true at the end: each message was answered once, by the worker of its side."""

from collections import Counter
from dataclasses import dataclass, field

from examples.verdict import Check, Verdict
from holdfast.client.import_rows import ImportResult
from holdfast.db.connect import Database

COLUMNS = ["id", "username", "text", "priority", "status", "claimed_by"]

REPLIES = "select message, worker from chat_replies"
COLUMNS_NOW = """
select column_name
from information_schema.columns
where table_name = 'chat_messages'
order by ordinal_position
"""
CHANGES = "select detail from holdfast.event_view where cause = 'set_rollout' and reason is not null"
DELETE_ROW = "delete from chat_replies where ctid = (select ctid from chat_replies limit 1)"
DOUBLE_REPLY = "insert into chat_replies select * from chat_replies limit 1"


@dataclass(slots=True)
class Evidence:
    """Which worker must answer each message, and who sent it in which phase."""

    workers: dict[int, str] = field(default_factory=dict)
    users: dict[str, set[str]] = field(default_factory=dict)
    taken_back: int = 0
    imports: list[ImportResult] = field(default_factory=list)

    def expect(self, message: int, user: str, phase: str, worker: str) -> None:
        self.workers[message] = worker
        if worker == "new":
            self.users.setdefault(phase, set()).add(user)

    def take_back(self, messages: list[int]) -> None:
        self.workers |= dict.fromkeys(messages, "old")
        self.taken_back += len(messages)


async def plant(database: Database, fault: str) -> None:
    await database.execute(DELETE_ROW if fault == "delete-row" else DOUBLE_REPLY)


async def judge(database: Database, evidence: Evidence) -> Verdict:
    replies = [(row["message"], row["worker"]) for row in await database.fetch(REPLIES)]
    columns = [row["column_name"] for row in await database.fetch(COLUMNS_NOW)]
    return Verdict(
        [
            _once(evidence, replies),
            _sides(evidence, replies),
            _stays(evidence),
            _back(evidence),
            _imported(evidence),
            Check("the old table is as it was", columns == COLUMNS, f"{len(columns)} columns"),
            Check("every change is in the audit trail", *_changes(len(await database.fetch(CHANGES)))),
        ]
    )


def _once(evidence: Evidence, replies: list[tuple[int, str]]) -> Check:
    counts = Counter(message for message, _ in replies)
    missing = len(evidence.workers.keys() - counts.keys())
    doubled = sum(count > 1 for count in counts.values())
    found = f"{len(evidence.workers)} messages, {missing} missing, {doubled} doubled"
    return Check("every message was answered once", not missing and not doubled, found)


def _sides(evidence: Evidence, replies: list[tuple[int, str]]) -> Check:
    wrong = [message for message, worker in replies if evidence.workers[message] != worker]
    by_new = sum(worker == "new" for _, worker in replies)
    found = f"{by_new} new, {len(replies) - by_new} old, {len(wrong)} wrong"
    return Check("each by the worker of its side", not wrong and 0 < by_new < len(replies), found)


def _stays(evidence: Evidence) -> Check:
    few, half, everyone = (evidence.users.get(phase, set()) for phase in ("20%", "50%", "on"))
    found = f"{len(few)}, {len(half)}, {len(everyone)} users"
    return Check("who was moved stays", 0 < len(few) < len(half) < len(everyone) and few < half, found)


def _back(evidence: Evidence) -> Check:
    nobody = not {"off", "off again"} & evidence.users.keys()
    found = f"{evidence.taken_back} messages returned"
    return Check("off switches back at once", evidence.taken_back > 0 and nobody, found)


def _imported(evidence: Evidence) -> Check:
    first, second = evidence.imports
    passed = 0 < first.enqueued == first.pending and second.enqueued == first.refused == second.refused == 0
    found = f"{first.enqueued} of {first.pending} enqueued, {second.enqueued} by the second import"
    return Check("what was left was imported once", passed, found)


def _changes(count: int) -> tuple[bool, str]:
    return count >= 4, f"{count} changes with a reason"
