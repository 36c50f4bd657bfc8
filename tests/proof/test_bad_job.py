"""One bad job never stops its queue, nor the line of its order key."""

from collections import Counter

from holdfast.client.app import Holdfast
from holdfast.model.state import State
from tests.worker.working import ended, working


async def test_a_job_that_always_fails_is_dead_in_the_end_and_all_others_are_done(database_url: str) -> None:
    """It is the most important one, is due again at once, and the only slot is its own to take."""
    async with Holdfast(database_url, name="bad") as app:
        tries: Counter[int] = Counter()

        @app.task(retry=[0, 0], max_failures=3)
        async def work(n: int) -> int:
            tries[n] += 1
            if n == 0:
                raise RuntimeError("never")
            return n

        bad = await work.options(priority=100, order_key="line").enqueue(0)
        behind = await work.options(order_key="line").enqueue(1)
        others = await work.enqueue_many(work.call(n) for n in range(2, 12))
        async with working(app, slots=1):
            jobs = [await ended(handle) for handle in (bad, behind, *others)]
        assert [job.state for job in jobs] == [State.DEAD, *[State.COMPLETED] * 11]
        assert (jobs[0].failures, tries) == (3, Counter({0: 3, **dict.fromkeys(range(1, 12), 1)}))
