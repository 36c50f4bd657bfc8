"""What can be a task, and what is refused at once."""

import io
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.context import Context
from holdfast.model.error import BadHandler, InvalidInput, UnknownTask


class OurContext(Context):
    pass


BAD = {
    "def f(a, /): ...": "remove the slash",
    "def f(*values): ...": "a list",
    "def f(**values): ...": "a dict",
    "def f(file: io.BytesIO): ...": "do not pass connections",
    "def f() -> io.BytesIO: ...": "do not pass connections",
    "def f(a=object()): ...": "None as the default",
    "def f(a: int = 'one'): ...": "None as the default",
    "def f(): yield 1": "return the result",
    "async def f(): yield 1": "return the result",
    "def f(a: OurContext, b: OurContext): ...": "keep one",
    "def f(a: 'Nowhere'): ...": "TYPE_CHECKING",
    "f = lambda: None": "name=",
    "class f: ...": "decorate a function",
}


def made_from(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"io": io, "OurContext": OurContext}
    exec(source, names)
    function: Callable[..., Any] = names["f"]
    return function


@pytest.mark.parametrize(("source", "remedy"), BAD.items(), ids=BAD.keys())
def test_a_handler_that_cannot_work_is_refused_at_decoration_with_a_remedy(source: str, remedy: str) -> None:
    app = Holdfast()
    with pytest.raises(BadHandler) as refused:
        app.task()(made_from(source))
    assert remedy in (refused.value.hint or "")
    assert app.tasks == {}


def test_a_task_without_parentheses_is_refused_with_a_remedy() -> None:
    with pytest.raises(BadHandler) as refused:
        Holdfast().task(made_from("def f(): ..."))
    assert "@app.task()" in (refused.value.hint or "")


def test_two_tasks_of_one_name_are_refused_and_both_places_named() -> None:
    app = Holdfast()

    @app.task(name="mail")
    def send_mail() -> None: ...

    with pytest.raises(BadHandler, match=r"send_mail.*\.f"):
        app.task(name="mail")(made_from("def f(): ..."))


def test_a_task_is_called_as_its_function_unless_it_is_given_a_name() -> None:
    app = Holdfast()

    @app.task()
    def send_mail() -> None: ...

    @app.task(name="post")
    def send_letter() -> None: ...

    assert set(app.tasks) == {"send_mail", "post"}
    assert app.find_task("post").handler is send_letter.handler
    with pytest.raises(UnknownTask, match="send_letter"):
        app.find_task("send_letter")


def test_the_context_is_found_by_its_type_and_is_no_part_of_the_payload() -> None:
    app = Holdfast()

    @app.task()
    async def answer(job: OurContext, question: str) -> str:
        return question

    assert answer.context_parameter == "job"
    assert answer.call("why?").payload == '{"question":"why?"}'
    assert answer.bind({"question": "why?"}) == {"question": "why?"}


def test_a_task_can_still_be_called_as_a_function() -> None:
    app = Holdfast()

    @app.task()
    def double(n: int) -> int:
        return 2 * n

    assert double(4) == 8


@pytest.mark.parametrize("settings", [{"retry": "no such preset"}, {"timeout": "soon"}])
def test_settings_of_a_task_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Holdfast().task(**settings)
