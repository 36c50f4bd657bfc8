"""Ends that are waiting to be sent."""

from holdfast.model.id import JobId, Token
from holdfast.model.outcome import End

Ends = tuple[list[JobId], list[Token], list[End]]


class Outbox:
    """Ends are sent with the next call; those of a failed call are sent again, first."""

    __slots__ = ("ends", "has_run", "ids", "tokens")

    def __init__(self) -> None:
        self.ids: list[JobId] = []
        self.tokens: list[Token] = []
        self.ends: list[End] = []
        self.has_run = False  # a job of a run is among them: the run may end with it

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, job: JobId, token: Token, end: End) -> None:
        self.ids.append(job)
        self.tokens.append(token)
        self.ends.append(end)

    def take(self) -> Ends:
        taken = self.ids, self.tokens, self.ends
        self.ids, self.tokens, self.ends = [], [], []
        self.has_run = False
        return taken

    def put_back(self, ends: Ends, has_run: bool) -> None:
        ids, tokens, values = ends
        self.ids[:0] = ids
        self.tokens[:0] = tokens
        self.ends[:0] = values
        self.has_run = self.has_run or has_run
