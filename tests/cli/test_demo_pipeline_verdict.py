"""The judge of the pipeline's demo sees every kind of harm."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import typer

from holdfast.cli.demo.pipeline.conclude import conclude
from holdfast.cli.demo.pipeline.crowd import most_at_once
from holdfast.cli.demo.pipeline.mind import Mind, Sight
from holdfast.cli.demo.pipeline.posts import LIMITS, Kind, StageName, kind_of, post_of, turns_of
from holdfast.cli.demo.pipeline.record import End, Left, Record, Recorded, Served, Span
from holdfast.cli.demo.pipeline.run import Outcome
from holdfast.cli.demo.pipeline.verdict import Plan, Verdict, judge
from holdfast.model.state import State
from holdfast.testing.model_server.answer import ChatRequest, Message

POSTS = [f"job-{number}" for number in range(20)]
LATER = timedelta(hours=1)
PLAIN, SKIPS, REJECTED, LOOPS = "job-0", "job-1", "job-3", "job-4"


class Telling:
    """What would be on record had all gone well, one call after the other."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC)
        self.ends: list[End] = []
        self.outputs: dict[str, tuple[Left, ...]] = {}
        self.spans: list[Span] = []
        self.calls: dict[tuple[str, int], tuple[Recorded, ...]] = {}
        self.served: dict[str, tuple[Served, ...]] = {}
        self.sights: dict[str, Sight] = {}
        self.marks: dict[str, str] = {}

    def tick(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def record(self) -> Record:
        for number, job in enumerate(POSTS):
            plan = Plan.of(number)
            for visit in range(1, len(plan.way) + 1):
                self.visit(job, plan, visit)
            self.ends.append(End(job, plan.end, plan.way[-1], len(plan.way)))
        parts = (tuple(self.ends), self.outputs, tuple(self.spans), self.calls)
        return Record(*parts, self.served, self.sights, self.marks)

    def visit(self, job: str, plan: Plan, visit: int) -> None:
        stage, begin, calls = plan.way[visit - 1], self.tick(), list[Recorded]()
        left = self.outputs.setdefault(job, ())
        latest = sorted({one.stage: one for one in left}.values(), key=lambda one: one.visit)
        sight = Sight(stage, plan.number, tuple((one.stage, one.mark) for one in latest))
        for turn, acts in enumerate(turns_of(plan.kind, stage, stage in plan.way[: visit - 1]), 1):
            key = f"here:{job}:1:{visit}:turn-{turn}"
            self.served[key] = (Served(self.tick(), self.tick()),)
            self.sights[key] = sight
            calls += [Recorded(tool, visit, self.tick()) for tool in (None, *(act.tool for act in acts))]
        if visit <= len(plan.leaves):
            mark = f"{job}/{visit}"
            self.marks[mark] = f"here:{job}:1:{visit}:turn-1"
            self.outputs[job] = (*left, Left(visit, stage, mark))
        self.calls[job, visit] = tuple(calls)
        self.spans.append(Span(job, visit, stage, begin, self.tick(), False))


@pytest.fixture
def record() -> Record:
    return Telling().record()


def verdict_of(record: Record, **changes: Any) -> Verdict:
    return judge(replace(record, **changes), POSTS)


def test_all_is_well_if_every_post_went_the_way_that_the_model_decided(record: Record) -> None:
    verdict = verdict_of(record)
    assert verdict.is_good
    assert (verdict.posts, verdict.ended, verdict.lost, verdict.duplicated) == (20, 20, 0, 0)
    assert dict(verdict.moves) == {"advance": 48, "skip": 4, "reject": 3, "loop": 2}
    assert set(verdict.leased.values()) == {1}
    assert set(verdict.served.values()) == {1}


def test_a_post_without_an_end_is_lost(record: Record) -> None:
    verdict = verdict_of(record, ends=record.ends[1:])
    assert not verdict.is_good
    assert (verdict.ended, verdict.lost) == (19, 1)


def test_a_second_end_is_a_duplicate(record: Record) -> None:
    verdict = verdict_of(record, ends=(*record.ends, record.ends[0]))
    assert not verdict.is_good
    assert verdict.duplicated == 1


def test_a_post_that_nobody_accepted_is_a_duplicate(record: Record) -> None:
    stranger = replace(record.ends[0], job="stranger", attempts=0)
    verdict = verdict_of(record, ends=(*record.ends, stranger))
    assert not verdict.is_good
    assert verdict.duplicated == 1


def test_a_dead_post_has_not_ended_as_it_should(record: Record) -> None:
    dead = replace(record.ends[0], state=State.DEAD)
    verdict = verdict_of(record, ends=(dead, *record.ends[1:]))
    assert not verdict.is_good
    assert (verdict.ended, verdict.lost) == (19, 0)


def test_a_post_that_ended_at_another_stage_has_not_ended_as_it_should(record: Record) -> None:
    early = replace(record.ends[0], stage="triage")
    verdict = verdict_of(record, ends=(early, *record.ends[1:]))
    assert not verdict.is_good
    assert verdict.ended == 19


def test_a_stage_that_was_left_out_is_another_way(record: Record) -> None:
    verdict = verdict_of(record, outputs={**record.outputs, PLAIN: record.outputs[PLAIN][1:]})
    assert not verdict.is_good
    assert verdict.strayed == 1


def test_an_output_that_the_model_did_not_give_for_that_visit_is_seen(record: Record) -> None:
    first, second, *rest = record.outputs[PLAIN]
    swapped = (replace(first, mark=second.mark), replace(second, mark=first.mark), *rest)
    verdict = verdict_of(record, outputs={**record.outputs, PLAIN: swapped})
    assert not verdict.is_good
    assert verdict.strayed == 1


@pytest.mark.parametrize("harm", ["incomplete", "out of order", "outdated", "of another post"])
def test_a_call_that_was_shown_something_else_than_the_earlier_outputs_is_seen(
    record: Record, harm: str
) -> None:
    key = f"here:{LOOPS}:1:6:turn-1"
    sight = record.sights[key]
    assert [stage for stage, _ in sight.context] == ["triage", "research", "editorial", "response"]
    planted = {
        "incomplete": replace(sight, context=sight.context[1:]),
        "out of order": replace(sight, context=sight.context[::-1]),
        "outdated": replace(sight, context=(*sight.context[:3], ("response", f"{LOOPS}/3"))),
        "of another post": replace(sight, number=14),
    }
    verdict = verdict_of(record, sights={**record.sights, key: planted[harm]})
    assert not verdict.is_good
    assert verdict.blind == 1


def test_a_call_that_was_cut_off_before_its_answer_was_saved_may_be_made_again(record: Record) -> None:
    key = f"here:{PLAIN}:1:2:turn-2"
    before = Served(record.served[key][0].begin - timedelta(microseconds=2), None)
    verdict = verdict_of(record, served={**record.served, key: (before, *record.served[key])})
    assert verdict.is_good
    assert verdict.cut_off == 1


def test_what_a_lost_attempt_had_on_record_was_spared(record: Record) -> None:
    lost = tuple(replace(span, is_lost=(span.job, span.attempt) == (PLAIN, 2)) for span in record.spans)
    verdict = verdict_of(record, spans=lost)
    assert (verdict.rescued, verdict.spared) == (1, len(record.calls[PLAIN, 2]))


def test_a_call_whose_answer_was_saved_must_not_be_made_again(record: Record) -> None:
    key = f"here:{PLAIN}:1:2:turn-1"
    (first,) = record.served[key]
    again = Served(first.begin + LATER, first.begin + LATER)
    verdict = verdict_of(record, served={**record.served, key: (first, again)})
    assert not verdict.is_good
    assert (verdict.repeated, verdict.cut_off) == (1, 0)


def test_a_tool_on_record_twice_was_called_twice(record: Record) -> None:
    calls = record.calls[PLAIN, 2]
    verdict = verdict_of(record, calls={**record.calls, (PLAIN, 2): (*calls[:2], *calls[1:])})
    assert not verdict.is_good
    assert verdict.unrecorded == 1


def test_an_answer_that_is_not_on_record_is_missed(record: Record) -> None:
    verdict = verdict_of(record, calls={**record.calls, (PLAIN, 2): record.calls[PLAIN, 2][1:]})
    assert not verdict.is_good
    assert verdict.unrecorded == 1


def test_a_call_that_the_server_knows_nothing_of_is_missed(record: Record) -> None:
    served = {key: calls for key, calls in record.served.items() if key != f"here:{PLAIN}:1:2:turn-2"}
    verdict = verdict_of(record, served=served)
    assert not verdict.is_good
    assert verdict.unrecorded == 1


def test_an_attempt_of_which_nothing_is_known_is_missed(record: Record) -> None:
    verdict = verdict_of(record, spans=record.spans[1:])
    assert not verdict.is_good
    assert verdict.untold == 1


@pytest.mark.parametrize("stage", StageName)
def test_one_lease_above_the_limit_of_a_stage_is_seen(record: Record, stage: StageName) -> None:
    spans = [span for span in record.spans if span.stage == stage]
    for extra in (0, 1):
        crowded = {id(span) for span in spans[: LIMITS[stage] + extra]}
        begin = record.spans[-1].end + LATER
        moved = tuple(
            replace(span, begin=begin, end=begin + LATER) if id(span) in crowded else span
            for span in record.spans
        )
        verdict = verdict_of(record, spans=moved)
        assert verdict.leased[stage] == LIMITS[stage] + extra
        assert verdict.is_good == verdict.limits_held == (extra == 0)


@pytest.mark.parametrize("stage", StageName)
def test_one_call_above_the_limit_of_a_stage_is_seen_at_the_server(record: Record, stage: StageName) -> None:
    keys = [key for key, sight in record.sights.items() if sight.stage is stage]
    begin = min(calls[0].begin for calls in record.served.values()) - LATER
    for extra in (0, 1):
        crowded = {key: (Served(begin, begin + LATER / 2),) for key in keys[: LIMITS[stage] + extra]}
        verdict = verdict_of(record, served={**record.served, **crowded})
        assert verdict.served[stage] == LIMITS[stage] + extra
        assert verdict.is_good == verdict.limits_held == (extra == 0)


def test_the_call_of_a_killed_worker_may_go_on_at_the_server_for_a_while(record: Record) -> None:
    keys = [key for key, sight in record.sights.items() if sight.stage is StageName.RESEARCH]
    begin = min(calls[0].begin for calls in record.served.values()) - LATER
    orphans = {key: (Served(begin, begin + LATER / 2), *record.served[key]) for key in keys[:3]}
    verdict = verdict_of(record, served={**record.served, **orphans})
    assert verdict.is_good
    assert (verdict.served[StageName.RESEARCH], verdict.cut_off) == (1, 3)


def test_a_demo_in_which_nothing_was_skipped_rejected_or_sent_back_shows_nothing(record: Record) -> None:
    assert verdict_of(record).all_occurred
    for jobs in ([PLAIN, SKIPS, REJECTED], [PLAIN, SKIPS, LOOPS], [PLAIN, REJECTED, LOOPS]):
        ends = tuple(end for end in record.ends if end.job in jobs)
        assert not verdict_of(record, ends=ends).all_occurred


def test_a_good_verdict_is_told_and_a_bad_one_is_the_exit_code_too(
    record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    conclude(Outcome(verdict_of(record), 100, 3), 61.2)
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == "demo: 20 of 20 ended, 0 lost, 0 duplicated, limits held, 3 workers killed, 61 s"
    crowd = tuple(replace(span, begin=record.spans[0].begin) for span in record.spans)
    with pytest.raises(typer.Exit):
        conclude(Outcome(verdict_of(record, ends=record.ends[1:], spans=crowd), 100, 1), 5)
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == "demo: 19 of 20 ended, 1 lost, 0 duplicated, limits exceeded, 1 worker killed, 5 s"


def test_a_demo_in_which_no_worker_was_killed_proves_nothing(record: Record) -> None:
    with pytest.raises(typer.Exit):
        conclude(Outcome(verdict_of(record), 100, 0), 5)


def test_where_one_ends_as_another_begins_there_is_one_at_once() -> None:
    first, second, third = (datetime(2030, 1, day, tzinfo=UTC) for day in (1, 2, 3))
    assert most_at_once([(first, second), (second, third)]) == 1
    assert most_at_once([(first, third), (second, third)]) == 2
    assert most_at_once([]) == 0


def test_the_model_decides_by_the_post_and_notes_what_it_was_shown() -> None:
    mind = Mind()
    prompt = (
        'The job:\n{"number": 4, "title": "delicate question 4"}\n\n'
        'What earlier stages left:\n{"triage": {"mark": "a"}, "response": {"mark": "b"}}'
    )
    answer = mind.answer(asked("editorial", "key", prompt))
    assert [call.name for call in answer.tool_calls] == ["write_to_database", "advance"]
    assert mind.sights["key"] == Sight(StageName.EDITORIAL, 4, (("triage", "a"), ("response", "b")))
    assert [*mind.marks.values()] == ["key"]
    again = prompt.replace('"response"', '"editorial"')
    assert [call.name for call in mind.answer(asked("editorial", "later", again)).tool_calls] == [
        "write_to_database"
    ]


def test_every_kind_of_post_is_among_twenty() -> None:
    assert {kind_of(post_of(number)) for number in range(20)} == set(Kind)


def asked(stage: str, key: str, prompt: str) -> ChatRequest:
    messages = tuple(Message(role, text, {}) for role, text in (("system", stage), ("user", prompt)))
    return ChatRequest("/v1", f"simulated-{stage}", messages, False, None, (), key, {}, {})
