"""The new worker: the same answers, by Holdfast."""

from holdfast import Holdfast, JobContext

QUEUE = "answers"
REPLY = "insert into chat_replies (message, worker) values ($1, 'new')"
DONE = "update chat_messages set status = 'complete', claimed_by = 'new' where id = $1"

app = Holdfast()


@app.task(queue=QUEUE)
async def answer(ctx: JobContext, message: int) -> None:
    """The reply, the old table's status and the end of the job are one transaction: exactly once."""
    async with ctx.transaction() as tx:
        await tx.connection.execute(REPLY, message)
        await tx.connection.execute(DONE, message)
