"""What `holdfast top` shows: a glance, which queue is selected, and what is asked."""

from dataclasses import dataclass, replace
from enum import StrEnum

from holdfast.model.glance import Glance, GlanceQueue
from holdfast.model.job import Job


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

    glance: Glance
    selected: str | None = None
    jobs: list[Job] | None = None
    asks: bool = False
    message: str = ""

    @property
    def queue(self) -> GlanceQueue | None:
        """The selected one; the first, if there is none or it is gone."""
        queues = self.glance.queues
        found = [queue for queue in queues if queue.name == self.selected] or queues
        return found[0] if found else None

    def seen(self, glance: Glance) -> "View":
        return replace(self, glance=glance)

    def moved(self, by: int) -> "View":
        queue, names = self.queue, [one.name for one in self.glance.queues]
        if queue is None:
            return self
        place = min(max(0, names.index(queue.name) + by), len(names) - 1)
        return replace(self, selected=names[place])
