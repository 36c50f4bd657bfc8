"""A fault proxy in front of PostgreSQL. It reads the protocol, so that it can lose the answer to a commit."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from chaos.fault_proxy import FaultProxy
from holdfast.db.worker import CLAIM_ONLY

PARSE, BIND, QUERY = b"P", b"B", b"Q"
HEAD = 5  # the kind and the length of a message
# PostgreSQL ends its answer to a statement outside a transaction so: by then it has committed. Its answers to
# a startup or a prepare end in the same way, but have no command tag.
COMMITTED = b"Z\x00\x00\x00\x05I"
WRITTEN = re.compile(rb"C\x00\x00\x00.(?:INSERT|UPDATE|DELETE|COMMIT)", re.DOTALL)
# The second form ends the answer to a client that asked for a single row.
READ = re.compile(rb"C\x00\x00\x00.SELECT|s\x00\x00\x00\x04", re.DOTALL)
# A client that misses the answer to one of these cannot know what was stored, claimed or settled. The answer
# to any other SELECT is no loss: the client asks again.
VERBS = (
    b"holdfast.enqueue", b"holdfast.settle_and_claim(", b"holdfast.save_checkpoint(",
    b"holdfast.settle_and_claim_known(", b"holdfast.end_job(",
)  # fmt: skip
CLAIM = CLAIM_ONLY.encode()  # it has changed something only if its answer contains a job
A_JOB = b"\x00\x00\x00\x03job"


@asynccontextmanager
async def proxied_postgres(url: str) -> AsyncIterator[tuple[FaultProxy, str]]:
    """A proxy in front of a server with a Unix socket, and the URL that leads through it."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    target = f"{query['host']}/.s.PGSQL.{query['port']}"
    async with FaultProxy(target, conversation=PostgresConversation) as proxy:
        yield proxy, f"postgresql://{parts.username}@127.0.0.1:{proxy.port}{parts.path}?sslmode=disable"


@dataclass(slots=True)
class PostgresConversation:
    """Follows what a client sends, to know which statement an answer belongs to.

    `_statement`: the last one that the server was asked to run. Prepared ones are found by their names.
    """

    _statement: bytes = b""
    _prepared: dict[bytes, bytes] = field(default_factory=dict)
    _rest: bytearray = field(default_factory=bytearray)
    _has_begun: bool = False

    def is_answer(self, data: bytes) -> bool:
        """Whether it confirms a commit whose result the client cannot get by asking again."""
        if not data.endswith(COMMITTED):
            return False
        return bool(WRITTEN.search(data) or (READ.search(data) and self._calls_verb(data)))

    def _calls_verb(self, answer: bytes) -> bool:
        if self._statement == CLAIM:
            return A_JOB in answer
        return any(verb in self._statement for verb in VERBS)

    def sent(self, data: bytes) -> None:
        """A piece of what the client sends; a message may span several pieces."""
        self._rest += data
        if not self._has_begun:
            self._begin()
        while self._has_begun and len(self._rest) >= HEAD:
            end = 1 + int.from_bytes(self._rest[1:HEAD])
            if len(self._rest) < end:
                return
            self._read(bytes(self._rest[:1]), bytes(self._rest[HEAD:end]))
            del self._rest[:end]

    def _begin(self) -> None:
        """The first message has a length and no kind."""
        if len(self._rest) >= 4 and len(self._rest) >= (end := int.from_bytes(self._rest[:4])):
            del self._rest[:end]
            self._has_begun = True

    def _read(self, kind: bytes, body: bytes) -> None:
        first, _, rest = body.partition(b"\0")
        if kind == PARSE:
            self._prepared[first] = rest.partition(b"\0")[0]
        elif kind == BIND:
            self._statement = self._prepared.get(rest.partition(b"\0")[0], b"")
        elif kind == QUERY:
            self._statement = first
