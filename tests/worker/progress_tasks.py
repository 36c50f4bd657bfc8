"""A handler in a child process that reports its progress. In a module, since the child must find it."""

from holdfast import Holdfast, InvalidInput, JobContext

app = Holdfast(name="tests")


@app.task(mode="process")
def in_process(ctx: JobContext, most: int) -> str:
    """The message of a bad report, after many good ones."""
    for done in range(1, most + 1):
        ctx.blocking.progress(done, most, item=f"page {done}")
    ctx.blocking.progress(most, failed=1, error=ValueError("it is empty"))
    try:
        ctx.blocking.progress(2, 1)
    except InvalidInput as exc:
        return exc.message
    return "no error"
