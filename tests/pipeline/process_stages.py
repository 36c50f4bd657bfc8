"""A pipeline whose stages have processes of their own, which must find them in a module."""

from typing import Any

from pydantic import BaseModel

from holdfast import Holdfast, JobContext, Pipeline, Stage

app = Holdfast(name="stages")


class Counted(BaseModel):
    words: int


@app.task(mode="process", retry=[0, 0])
def count(ctx: JobContext, text: str) -> Any:
    if ctx.attempt == 1:
        return {"words": "many"}
    return ctx.advance("tell", {"words": len(text.split())})


@app.task(mode="process")
async def never(ctx: JobContext, text: str) -> None:
    raise AssertionError


@app.task(mode="process")
def tell(ctx: JobContext, text: str) -> Any:
    parts = ctx.blocking.spawn("upper", [{"word": word} for word in text.split()])
    seen = [(one.what, one.stage) for one in ctx.blocking.history]
    answer = ctx.blocking.wait_for("approval")
    return [ctx.blocking.context["count"], parts, seen, answer]


@app.task()
async def upper(word: str) -> str:
    return word.upper()


line = app.pipeline(
    Pipeline(
        "line",
        [
            Stage("count", task=count, output=Counted),
            Stage("never", task=never),
            Stage("tell", task=tell),
        ],
    )
)
