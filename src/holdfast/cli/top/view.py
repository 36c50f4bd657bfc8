"""What `holdfast top` shows: a glance, which queue is selected, and what is asked."""

from dataclasses import dataclass, replace
from enum import StrEnum

from holdfast.model.job import Job
from holdfast.model.overview import Overview, OverviewQueue


class Wish(StrEnum):
    """What a key asks the screen to do with the database."""

    PAUSE = "pause"
    RESUME = "resume"
    REPLAY = "replay"
    OPEN = "open"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class View:
    """`jobs` is not None while a queue is open; `asks` while a question waits for y or n."""

    overview: Overview
    selected: str | None = None
    jobs: list[Job] | None = None
    asks: bool = False
    message: str = ""

    @property
    def queue(self) -> OverviewQueue | None:
        """The selected one; the first, if there is none or it is gone."""
        queues = self.overview.queues
        found = [queue for queue in queues if queue.name == self.selected] or queues
        return found[0] if found else None

    def seen(self, overview: Overview) -> "View":
        return replace(self, overview=overview)

    def moved(self, by: int) -> "View":
        queue, names = self.queue, [one.name for one in self.overview.queues]
        if queue is None:
            return self
        place = min(max(0, names.index(queue.name) + by), len(names) - 1)
        return replace(self, selected=names[place])
