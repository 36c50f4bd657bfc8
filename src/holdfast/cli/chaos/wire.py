"""What a client of PostgreSQL says: which statement the next answer belongs to."""

from dataclasses import dataclass, field

from holdfast.db.worker import CLAIM_ONLY

PARSE, BIND, QUERY = b"P", b"B", b"Q"
HEAD = 5  # the kind and the length of a message
# Whoever does not hear the answer to one of these cannot know what was stored, claimed or settled.
VERBS = (b"holdfast.enqueue", b"holdfast.settle_and_claim(", b"holdfast.save_checkpoint(")
EMPTY_HANDED = CLAIM_ONLY.encode()  # unless the answer has a job in it
A_JOB = b"\x00\x00\x00\x03job"


@dataclass(slots=True)
class Client:
    """`statement`: the last one that was carried out for it. Prepared ones are known by their names."""

    statement: bytes = b""
    _prepared: dict[bytes, bytes] = field(default_factory=dict)
    _rest: bytearray = field(default_factory=bytearray)
    _has_begun: bool = False

    def is_of_substance(self, answer: bytes) -> bool:
        """Whether the statement that this answers has changed more than the client could ask again for."""
        if self.statement == EMPTY_HANDED:
            return A_JOB in answer
        return any(verb in self.statement for verb in VERBS)

    def hear(self, data: bytes) -> None:
        """A piece of what it sends; messages need not end where pieces do."""
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
            self.statement = self._prepared.get(rest.partition(b"\0")[0], b"")
        elif kind == QUERY:
            self.statement = first
