"""Each check of the posts pipeline sees its own kind of harm, on a record that is otherwise in order."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from examples.posts_pipeline.app import STAGES
from examples.posts_pipeline.checks import check_all
from examples.posts_pipeline.model import Kind, Models, Post
from examples.posts_pipeline.record import Attempt, End, Output, Record
from examples.posts_pipeline.run import DELAYS
from holdfast.testing import Answer, Refusal
from holdfast.testing.model_server import Call, ChatRequest, Message, Outcome
from holdfast.testing.model_server.ledger import CallId

POSTS = {f"job-{number}": Post.of(number) for number in range(20)}
PLAIN, DELICATE, HEAVY, HOPELESS = "job-0", "job-4", "job-5", "job-9"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = timedelta(hours=1)

Harm = Callable[[Record], object]


class Work:
    """Does what workers and servers would do, one call after the other, and writes down what they would."""

    def __init__(self) -> None:
        self.record = Record([], [], [], [], Counter(), dict.fromkeys(STAGES, 1), 0, [], Models())

    def all(self) -> Record:
        record = self.record
        for job, post in POSTS.items():
            for number, stage in enumerate(post.route, 1):
                self.visit(job, post, number, stage)
            failed = sum(attempt.visit[0] == job for attempt in record.attempts)
            made = failed + len(post.route) - (post.end == "dead")
            record.ends.append(End(job, post.end, post.route[-1], made))
            record.letters.extend([job] if post.end == "dead" else [])
        return replace(record, spans=sum(end.attempts for end in record.ends))

    def visit(self, job: str, post: Post, number: int, stage: str) -> None:
        said = [("system", f"You are the {stage} agent."), ("user", self.prompt(job, post))]
        rounds = failures = 0
        while True:
            answer = self.ask(f"here:{job}:1:{number}:round-{rounds}/turn-{len(said)}", said)
            if isinstance(answer, Refusal) and answer.status == 429:
                self.attempt((job, number), "deferred", "rate_limited", timedelta(seconds=1))
                continue
            tools = [] if isinstance(answer, Refusal) else [call.name for call in answer.tool_calls]
            if isinstance(answer, Answer):
                self.record.answers[job, number] += 1
                written = [call.arguments for call in answer.tool_calls if call.name == "write_to_database"]
                self.record.outputs.extend(Output(job, number, stage, value) for value in written)
            if isinstance(answer, Refusal) or "retry" in tools:
                wait = dict(enumerate(DELAYS)).get(failures)
                self.attempt((job, number), "failed", "transient", wait)
                failures, rounds = failures + 1, rounds + ("retry" in tools)
                if wait is None:
                    return
            elif not tools or {"advance", "reject"} & {*tools}:
                return
            else:
                said.append(("assistant", ""))

    def prompt(self, job: str, post: Post) -> str:
        results: dict[str, object] = {}
        for output in self.record.outputs:
            if output.job == job:
                results.pop(f"{output.stage}_result", None)
                results[f"{output.stage}_result"] = output.value
        return json.dumps({"post": post.payload, "context": results})

    def ask(self, key: str, said: list[tuple[str, str]]) -> Answer | Refusal:
        messages = tuple(Message(role, text, {}) for role, text in said)
        request = ChatRequest("/api/chat", "a model", messages, False, None, (), key, {}, {})
        answer = self.record.models.answer(request)
        status = answer.status if isinstance(answer, Refusal) else 200
        self.record.calls.append(call_of(key, len(self.record.calls), status))
        return answer

    def attempt(self, visit: tuple[str, int], outcome: str, error: str, wait: timedelta | None) -> None:
        retry_at = None if wait is None else NOW + wait
        self.record.attempts.append(Attempt(visit, outcome, error, NOW, NOW, retry_at, retry_at))


def call_of(key: str, second: int, status: int = 200) -> Call:
    start = timedelta(seconds=second)
    outcome = Outcome.ANSWERED if status == 200 else Outcome.REFUSED
    return Call(
        CallId(second), key, "/api/chat", "a model", start, 1, start + timedelta(seconds=0.5), outcome, status
    )


@pytest.fixture
def record() -> Record:
    return Work().all()


def failed_checks(record: Record) -> list[str]:
    return [check.name for check in check_all(record, POSTS, DELAYS) if not check.passed]


def test_a_record_in_order_passes(record: Record) -> None:
    assert failed_checks(record) == []


def output_at(record: Record, job: str, number: int) -> int:
    return next(i for i, output in enumerate(record.outputs) if (output.job, output.number) == (job, number))


def call_at(record: Record, job: str, number: int) -> int:
    return next(i for i, call in enumerate(record.calls) if f":{job}:1:{number}:" in (call.key or ""))


def delete_an_end(record: Record) -> None:
    record.ends.pop()


def end_twice(record: Record) -> None:
    record.ends.append(record.ends[0])


def end_a_stranger(record: Record) -> None:
    record.ends.append(replace(record.ends[0], job="stranger", attempts=0))


def die_instead(record: Record) -> None:
    record.ends[0] = replace(record.ends[0], state="dead")


def end_too_early(record: Record) -> None:
    record.ends[0] = replace(record.ends[0], stage="triage")


def leave_out_a_stage(record: Record) -> None:
    del record.outputs[output_at(record, PLAIN, 4)]


def lose_a_dead_letter(record: Record) -> None:
    record.letters.remove(HOPELESS)


def forge_a_result(record: Record) -> None:
    place = output_at(record, PLAIN, 4)
    record.outputs[place] = replace(record.outputs[place], value={"text": "forged"})


def take_the_result_of_another_visit(record: Record) -> None:
    first, second = output_at(record, PLAIN, 4), output_at(record, "job-2", 4)
    record.outputs[first] = replace(record.outputs[first], value=record.outputs[second].value)


def hide_a_result_from_a_call(record: Record) -> None:
    asked = record.models.asked[record.calls[call_at(record, PLAIN, 4)].key or ""]
    asked.context.pop()


def show_results_out_of_order(record: Record) -> None:
    asked = record.models.asked[record.calls[call_at(record, DELICATE, 6)].key or ""]
    assert [name for name, _ in asked.context] == [
        *("triage_result", "research_result", "editorial_result", "response_result")
    ]
    asked.context.reverse()


def ask_again(record: Record) -> None:
    call = record.calls[call_at(record, PLAIN, 2)]
    record.calls.append(call_of(call.key or "", len(record.calls)))


def forget_an_answer(record: Record) -> None:
    record.answers[PLAIN, 2] -= 1


def record_an_answer_that_no_server_gave(record: Record) -> None:
    record.answers[PLAIN, 2] += 1


def forget_a_failure(record: Record) -> None:
    record.attempts.remove(
        next(one for one in record.attempts if one.visit == (HEAVY, 2) and one.error_class == "transient")
    )


def forget_a_429(record: Record) -> None:
    record.attempts.remove(next(one for one in record.attempts if one.error_class == "rate_limited"))


def wait_otherwise(record: Record, place: int, wait: timedelta | None) -> None:
    failed = [i for i, one in enumerate(record.attempts) if one.visit == (HOPELESS, 1)]
    retry_at = None if wait is None else NOW + wait
    changed = replace(record.attempts[failed[place]], retry_at=retry_at, next_start=retry_at)
    record.attempts[failed[place]] = changed


def wait_too_long(record: Record) -> None:
    wait_otherwise(record, 1, LATER)


def retry_at_once(record: Record) -> None:
    wait_otherwise(record, 0, timedelta())


def repeat_a_delay(record: Record) -> None:
    wait_otherwise(record, 1, DELAYS[0])


def be_tried_once_more(record: Record) -> None:
    last = max(i for i, one in enumerate(record.attempts) if one.visit == (HOPELESS, 1))
    record.attempts.insert(last, record.attempts[last])


def give_up_too_early(record: Record) -> None:
    wait_otherwise(record, 2, None)


def start_too_early(record: Record) -> None:
    place = next(i for i, one in enumerate(record.attempts) if one.visit == (HOPELESS, 1))
    record.attempts[place] = replace(record.attempts[place], next_start=NOW)


def test_every_kind_of_post_is_among_twenty() -> None:
    assert {Post.of(number).kind for number in range(20)} == set(Kind)


@pytest.mark.parametrize(
    ("harm", "check"),
    [
        (delete_an_end, "every post ended once"),
        (end_twice, "every post ended once"),
        (die_instead, "every post took its route"),
        (end_too_early, "every post took its route"),
        (leave_out_a_stage, "every post took its route"),
        (lose_a_dead_letter, "every post took its route"),
        (forge_a_result, "every result is the model's own"),
        (take_the_result_of_another_visit, "every result is the model's own"),
        (hide_a_result_from_a_call, "every call saw the earlier results"),
        (show_results_out_of_order, "every call saw the earlier results"),
        (ask_again, "every reply was paid for once"),
        (forget_an_answer, "every reply was paid for once"),
        (record_an_answer_that_no_server_gave, "every reply was paid for once"),
        (forget_a_failure, "every error was handled once"),
        (forget_a_429, "every error was handled once"),
        (wait_too_long, "retries waited as configured"),
        (repeat_a_delay, "retries waited as configured"),
        (retry_at_once, "retries waited as configured"),
        (start_too_early, "retries waited as configured"),
        (be_tried_once_more, "retries waited as configured"),
        (give_up_too_early, "retries waited as configured"),
    ],
)
def test_a_harm_is_seen_by_its_check(record: Record, harm: Harm, check: str) -> None:
    harm(record)
    assert check in failed_checks(record)


def test_a_job_that_was_never_enqueued_is_seen(record: Record) -> None:
    end_a_stranger(record)
    assert failed_checks(record) == ["every post ended once", "every post took its route"]


def test_a_killed_worker_may_lose_one_reply_and_no_more(record: Record) -> None:
    record.attempts.append(Attempt((PLAIN, 2), "lost", None, NOW, NOW, NOW, NOW))
    ask_again(record)
    assert failed_checks(record) == []
    ask_again(record)
    assert failed_checks(record) == ["every reply was paid for once"]


@pytest.mark.parametrize("stage", STAGES)
def test_one_lease_above_the_limit_of_a_stage_is_seen(record: Record, stage: str) -> None:
    for extra, failed in ((0, []), (1, ["limits held"])):
        record.leased[stage] = STAGES[stage].max_concurrent + extra
        assert failed_checks(record) == failed


@pytest.mark.parametrize("stage", STAGES)
def test_one_call_above_the_limit_of_a_stage_is_seen_at_the_server(record: Record, stage: str) -> None:
    of_stage = [
        i for i, call in enumerate(record.calls) if record.models.asked[call.key or ""].stage == stage
    ]
    for extra, failed in ((0, []), (1, ["limits held"])):
        for place in of_stage[: STAGES[stage].max_concurrent + extra]:
            record.calls[place] = replace(record.calls[place], start=LATER, end=2 * LATER)
        assert failed_checks(record) == failed


def test_an_attempt_of_which_nothing_is_known_is_missed(record: Record) -> None:
    assert failed_checks(replace(record, spans=record.spans - 1)) == ["limits held"]


def test_a_run_without_a_429_or_a_500_proves_nothing(record: Record) -> None:
    for status in (429, 500):
        calls = [call for call in record.calls if call.status != status]
        assert "every error was handled once" in failed_checks(replace(record, calls=calls))
