"""How an attempt can end: what is sent to the database, and what the model does about it."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from hypothesis import strategies as st

from tests.machine.model import Model
from tests.machine.parts import QUEUES, Job, seconds


@dataclass(frozen=True, slots=True)
class Complete:
    verb = "complete"

    def detail(self) -> dict[str, object]:
        return {"units": 2}


@dataclass(frozen=True, slots=True)
class Fail:
    class_: str
    retry_after: float | None
    verb = "fail"

    def detail(self) -> dict[str, object]:
        asked = {} if self.retry_after is None else {"retry_after": self.retry_after}
        return {"class": self.class_, "type": "Boom", "message": "it broke", **asked}


@dataclass(frozen=True, slots=True)
class Snooze:
    delay: float
    verb = "snooze"

    def detail(self) -> dict[str, object]:
        return {"delay": self.delay, "reason": "not yet"}


@dataclass(frozen=True, slots=True)
class Release:
    verb = "release"

    def detail(self) -> dict[str, object]:
        return {"reason": "going home"}


@dataclass(frozen=True, slots=True)
class Reject:
    verb = "reject"

    def detail(self) -> dict[str, object]:
        return {"reason": "not worth it"}


@dataclass(frozen=True, slots=True)
class Cancel:
    verb = "cancel"

    def detail(self) -> dict[str, object]:
        return {"reason": "as asked"}


@dataclass(frozen=True, slots=True)
class Advance:
    queue: str
    delay: float | None
    verb = "advance"

    def detail(self) -> dict[str, object]:
        later = {} if self.delay is None else {"delay": self.delay}
        return {"stage": "next", "queue": self.queue, **later}


End = Complete | Fail | Snooze | Release | Reject | Cancel | Advance

# An hour asked for twice is beyond the longest wait of one queue, a day's snooze beyond that of all.
ENDS: st.SearchStrategy[End] = st.one_of(
    st.builds(Complete),
    st.builds(
        Fail,
        st.sampled_from(["transient", "transient", "transient", "rate_limited", "permanent", "system"]),
        st.sampled_from([None, None, 0.0, 20.0, 3600.0]),
    ),
    st.builds(Snooze, st.sampled_from([0.0, 1.0, 600.0, 90_000.0])),
    st.builds(Release),
    st.builds(Reject),
    st.builds(Cancel),
    st.builds(Advance, st.sampled_from(sorted(QUEUES)), st.sampled_from([None, 0.0, 30.0])),
)


def detail_of(end: End, done: int | None = None) -> str:
    """`done`: with a last report of the job's progress."""
    report = {} if done is None else {"progress": {"done": done}}
    return json.dumps({**end.detail(), **report})


def apply(model: Model, job: Job, end: End, waited: timedelta | None) -> None:
    match end:
        case Complete():
            model.end(job, "completed", None)
        case Fail():
            model.fail(job, end.class_, end.retry_after, waited)
        case Snooze():
            model.snooze(job, seconds(end.delay))
        case Release():
            model.release(job)
        case Reject():
            model.end(job, "rejected", "not worth it")
        case Cancel():
            model.end(job, "cancelled", "as asked")
        case Advance():
            model.advance(job, end.queue, seconds(end.delay))
        case _:
            assert_never(end)
