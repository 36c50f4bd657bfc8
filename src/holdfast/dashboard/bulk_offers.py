"""Which actions a list of jobs offers: on those that are selected, and on all that match its filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.model.action import ActionName
from holdfast.model.job import JobOutline
from holdfast.model.state import ENDS, LIVE, State


@dataclass(frozen=True, slots=True)
class Offer:
    """`word` is the end of the route for jobs that are named. `usual`: the states that a bulk action looks
    for if its filter has none.
    """

    action: ActionName
    word: str
    verb: str
    says: str
    possible: frozenset[State]
    usual: frozenset[State]
    is_danger: bool = False


LETTERS = frozenset({"queue", "task", "fingerprint"})  # filters that jobs and dead letters share
OFFERS = (
    Offer(
        ActionName.CANCEL,
        "cancel",
        "Cancel",
        "They end as cancelled and stay in the history, from where they can be replayed. "
        "Running handlers are asked to stop.",
        LIVE,
        LIVE,
        is_danger=True,
    ),
    Offer(
        ActionName.REPLAY,
        "replay",
        "Replay",
        "They start again under the same id, those of a pipeline at the stage where they ended.",
        ENDS,
        frozenset({State.DEAD}),
    ),
    Offer(
        ActionName.SET_PRIORITY,
        "priority",
        "Set the priority of",
        "A higher priority is claimed first, from 0 to 100. Running jobs keep running.",
        LIVE,
        LIVE,
    ),
)


@dataclass(frozen=True, slots=True)
class BulkOffer:
    """An action on all jobs that match and are in its `states`: `count` on this page, and perhaps more.
    `canary`: the filter of the same as dead letters, whose replay sends some first and leaves out those that
    were resolved or ignored; None if it has none. Then `count` is that of the letters.
    """

    offer: Offer
    states: str
    count: int
    is_more: bool
    canary: dict[str, Any] | None = None

    @property
    def noun(self) -> str:
        return "job" if self.count == 1 and not self.is_more else "jobs"


@dataclass(frozen=True, slots=True)
class OpenLetters:
    """Dead letters that a replay takes: open or under investigation."""

    count: int
    is_more: bool


def offers_for_selection(jobs: Sequence[JobOutline]) -> list[Offer]:
    """Those that fit the state of a job on the page."""
    states = {job.state for job in jobs}
    return [one for one in OFFERS if one.possible & states]


def offers_for_filter(
    filters: Mapping[str, Any], jobs: Sequence[JobOutline], is_whole: bool, letters: OpenLetters | None = None
) -> list[BulkOffer]:
    """`is_whole`: these jobs are all that match. `letters`: the open dead letters, for a filter that is
    `as_letters`. The API refuses an action without a filter.
    """
    state = filters.get("state")
    found = []
    for offer in OFFERS if filters else ():
        states = offer.usual if state is None else offer.possible & {State(state)}
        if letters is not None and offer.action is ActionName.REPLAY:
            if letters.count:
                found.append(
                    BulkOffer(offer, "open dead", letters.count, letters.is_more, as_letters(filters))
                )
            continue
        count = sum(job.state in states for job in jobs)
        if states and (count or not is_whole):
            words = "live" if states == LIVE else ", ".join(states)
            found.append(BulkOffer(offer, words, count, not is_whole))
    return found


def as_letters(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """The filter of dead letters that finds the same dead jobs, if there is one."""
    found = {name: value for name, value in filters.items() if name != "state"}
    is_dead = filters.get("state", State.DEAD) == State.DEAD
    return found if is_dead and found and found.keys() <= LETTERS else None
