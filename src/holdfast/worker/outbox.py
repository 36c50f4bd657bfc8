"""Ends that wait to be sent."""

from holdfast.model.id import JobId, Token
from holdfast.model.job import ClaimedJob
from holdfast.model.outcome import End

Ends = tuple[list[JobId], list[Token], list[End]]


class Outbox:
    """Ends go out with the next call; those of a call that failed go out again, first."""

    __slots__ = ("ends", "has_run", "ids", "tokens")

    def __init__(self) -> None:
        self.ids: list[JobId] = []
        self.tokens: list[Token] = []
        self.ends: list[End] = []
        self.has_run = False

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, job: ClaimedJob, end: End) -> None:
        self.ids.append(job.id)
        self.tokens.append(job.token)
        self.ends.append(end)
        if job.run is not None:
            self.has_run = True

    def take(self) -> Ends:
        taken = self.ids, self.tokens, self.ends
        self.ids, self.tokens, self.ends = [], [], []
        return taken

    def take_run(self) -> bool:
        """Whether a job of a run was among the ends since the last call of this."""
        had, self.has_run = self.has_run, False
        return had

    def put_back(self, ends: Ends) -> None:
        ids, tokens, values = ends
        self.ids[:0] = ids
        self.tokens[:0] = tokens
        self.ends[:0] = values
