"""What became of the posts: the database and the model server's ledger, compared with what was to be done."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from holdfast.cli.demo.pipeline.crowd import Interval, most_at_once
from holdfast.cli.demo.pipeline.mind import Sight
from holdfast.cli.demo.pipeline.posts import (
    LIMITS,
    Kind,
    StageName,
    end_of,
    kind_of,
    post_of,
    turns_of,
    way_of,
)
from holdfast.cli.demo.pipeline.record import End, Record, Visit
from holdfast.model.state import State

NEVER = datetime.max.replace(tzinfo=UTC)
PLACES = {stage: place for place, stage in enumerate(StageName)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`ended` counts right ends only.

    `strayed`: posts that took another way. `blind`: calls that were not shown exactly what the earlier stages
    had left, in order. `repeated`: calls made again though the answer was on record. `unrecorded`: stage
    visits whose calls on record are not those that were made. `untold`: posts with unknown attempts.
    `cut_off`: calls made again since their worker was killed before the answer was on record. `spared`: calls
    that a lost attempt had on record, and that were therefore not made again. These two and `rescued` tell
    what the kills did; all others that are not zero tell of harm.
    """

    posts: int
    ended: int
    lost: int
    duplicated: int
    strayed: int
    blind: int
    repeated: int
    unrecorded: int
    untold: int
    cut_off: int
    rescued: int
    spared: int
    moves: Counter[str]
    leased: Mapping[StageName, int]
    served: Mapping[StageName, int]

    @property
    def limits_held(self) -> bool:
        return all(
            most[stage] <= limit for most in (self.leased, self.served) for stage, limit in LIMITS.items()
        )

    @property
    def all_occurred(self) -> bool:
        return all(self.moves[move] for move in ("advance", "skip", "reject", "loop"))

    @property
    def is_good(self) -> bool:
        harms = (self.lost, self.duplicated, self.strayed, self.blind)
        slips = (self.repeated, self.unrecorded, self.untold)
        return self.ended == self.posts and not any(harms + slips) and self.limits_held and self.all_occurred


def judge(record: Record, accepted: Sequence[str]) -> Verdict:
    """`accepted`: the jobs, in the order of their posts' numbers."""
    plans = {job: Plan.of(number) for number, job in enumerate(accepted)}
    ends = Counter(end.job for end in record.ends)
    right = {end.job for end in record.ends if end.job in plans and plans[end.job].has_met(end)}
    keys = _keys_by_visit(record)
    repeated = sum(_repeated(record, visit, keys.get(visit, [])) for visit in record.calls)
    return Verdict(
        posts=len(plans),
        ended=len(right),
        lost=len(plans.keys() - ends.keys()),
        duplicated=sum(count - 1 for count in ends.values()) + len(ends.keys() - plans.keys()),
        strayed=sum(not _kept_its_way(record, job, plan) for job, plan in plans.items()),
        blind=sum(not _saw_all(record, key, plans) for key in record.served),
        repeated=repeated,
        unrecorded=_unrecorded(record, plans, keys),
        untold=_untold(record),
        cut_off=sum(len(calls) - 1 for calls in record.served.values()) - repeated,
        rescued=sum(span.is_lost for span in record.spans),
        spared=_spared(record),
        moves=_moves(record),
        leased=_leased(record),
        served=_served(record),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to become of a post."""

    number: int
    kind: Kind
    way: tuple[StageName, ...]
    end: State

    @classmethod
    def of(cls, number: int) -> "Plan":
        kind = kind_of(post_of(number))
        return cls(number, kind, way_of(kind), end_of(kind))

    @property
    def leaves(self) -> tuple[StageName, ...]:
        """A visit that ends in a rejection leaves nothing."""
        return self.way[:-1] if self.end is State.REJECTED else self.way

    def has_met(self, end: End) -> bool:
        return (end.state, end.stage) == (self.end, self.way[-1])

    def tools(self, visit: int) -> list[str | None]:
        """Of the calls at that visit; None is the model."""
        stage, before = self.way[visit - 1], self.way[: visit - 1]
        turns = turns_of(self.kind, stage, stage in before)
        return [tool for turn in turns for tool in (None, *(act.tool for act in turn))]


def _kept_its_way(record: Record, job: str, plan: Plan) -> bool:
    """Every output is where it should be, and is the one that the model gave for this visit."""
    left = record.outputs.get(job, ())
    way = [(one.visit, one.stage) for one in left]
    given = [visit_of(record.marks.get(one.mark or "", "")) for one in left]
    return way == [*enumerate(plan.leaves, 1)] and given == [(job, one.visit) for one in left]


def _saw_all(record: Record, key: str, plans: Mapping[str, Plan]) -> bool:
    job, visit = visit_of(key)
    sight = record.sights.get(key)
    if sight is None or job not in plans or visit > len(plans[job].way):
        return False
    plan = plans[job]
    before = [one for one in record.outputs.get(job, ()) if one.visit < visit]
    latest = {one.stage: one for one in before}
    shown = sorted(latest.values(), key=lambda one: one.visit)
    context = tuple((one.stage, one.mark) for one in shown)
    return sight == Sight(plan.way[visit - 1], plan.number, context)


def _repeated(record: Record, visit: Visit, keys: Sequence[str]) -> int:
    """Calls of the server that began after the answer to that question was on record."""
    answers = [call.at for call in record.calls[visit] if call.tool is None]
    pairs = zip(keys, answers, strict=False)
    return sum(served.begin > at for key, at in pairs for served in record.served[key])


def _unrecorded(record: Record, plans: Mapping[str, Plan], keys: Mapping[Visit, Sequence[str]]) -> int:
    """An answer or a tool on record twice shows here as well."""
    expected = {
        (job, visit): plan.tools(visit)
        for job, plan in plans.items()
        for visit in range(1, len(plan.way) + 1)
    }
    found = {visit: [call.tool for call in calls] for visit, calls in record.calls.items()}
    asked = {visit: len(of_visit) for visit, of_visit in keys.items()}
    return sum(
        found.get(visit) != expected.get(visit) or asked.get(visit) != found[visit].count(None)
        for visit in expected.keys() | found.keys() | asked.keys()
    )


def _untold(record: Record) -> int:
    """Each attempt of a job that has ended is on record once: only then do the spans tell all."""
    told: dict[str, list[int]] = {}
    for span in record.spans:
        told.setdefault(span.job, []).append(span.attempt)
    return sum(sorted(told.get(end.job, [])) != [*range(1, end.attempts + 1)] for end in record.ends)


def _spared(record: Record) -> int:
    lost = {(span.job, span.attempt) for span in record.spans if span.is_lost}
    return sum((job, call.attempt) in lost for (job, _), calls in record.calls.items() for call in calls)


def _moves(record: Record) -> Counter[str]:
    """From stage to stage, by the places of both."""
    moves: Counter[str] = Counter()
    for end in record.ends:
        stages = [one.stage for one in record.outputs.get(end.job, ())]
        if end.state is State.REJECTED:
            moves["reject"] += 1
            stages.append(end.stage)
        moves.update(_move(*pair) for pair in pairwise(stages))
    return moves


def _move(here: str, there: str) -> str:
    step = PLACES[StageName(there)] - PLACES[StageName(here)]
    return "advance" if step == 1 else "skip" if step > 1 else "loop"


def _leased(record: Record) -> dict[StageName, int]:
    """By the database: each attempt from its start until its end, or until its rescue."""
    spans: dict[str, list[Interval]] = {}
    for span in record.spans:
        spans.setdefault(span.stage, []).append((span.begin, span.end))
    return {stage: most_at_once(spans.get(stage, ())) for stage in StageName}


def _served(record: Record) -> dict[StageName, int]:
    """By the ledger, for workers that lived: the last call of each key, since a cut off one is repeated."""
    spans: dict[StageName, list[Interval]] = {}
    for key, calls in record.served.items():
        if key in record.sights:
            last = calls[-1]
            spans.setdefault(record.sights[key].stage, []).append((last.begin, last.end or NEVER))
    return {stage: most_at_once(spans.get(stage, ())) for stage in StageName}


def _keys_by_visit(record: Record) -> dict[Visit, list[str]]:
    """In the order in which they were first asked."""
    found: dict[Visit, list[str]] = {}
    for key in sorted(record.served, key=lambda key: record.served[key][0].begin):
        found.setdefault(visit_of(key), []).append(key)
    return found


def visit_of(key: str) -> Visit:
    """The server knows a visit by its idempotency keys: installation, job, generation, visit and step."""
    _, job, _, visit, _ = key.split(":") if key.count(":") == 4 else ("", "", "", "0", "")
    return job, int(visit)
