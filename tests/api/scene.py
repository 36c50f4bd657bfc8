"""One of everything that the routes for people name in their paths."""

from holdfast.client.app import Holdfast
from tests.builders import a_sealed_run, a_worker, dead_job, ready_job
from tests.stage_builders import a_pipeline

# What the names in a path stand for, by the noun that the path begins with.
NAMES = {
    "queues": "mail",
    "endpoints": "llama",
    "pipelines": "line",
    "rules": "large",
    "schedules": "nightly",
    "flags": "rescue",
    "rollouts": "new-queue",
    "reported-metrics": "load",
}


async def a_scene(app: Holdfast) -> dict[str, str]:
    """One of everything, in the queue mail where it has one; by the names in the paths."""
    async with app.database.transaction() as conn:
        dead = (await dead_job(conn, queue="mail")).id
        await ready_job(conn, queue="mail")
        run, _ = await a_sealed_run(conn)
        worker = await a_worker(conn, ["mail"])
        await a_pipeline(conn)
    await app.settings.set_endpoint("llama", max=4)
    await app.settings.set_queue("bulk", priority=10)
    await app.settings.set_rebalance("mail", "bulk")
    await app.settings.set_queue("other", priority=50)
    await app.rules.set_rule("task", "send", "large", condition="$.size > 1", points=5)
    await app.schedules.add("nightly", task="send", cron="0 3 * * *")
    await app.settings.set_rollout("new-queue", "10%")
    await app.metrics.report("load", 0.25)
    event = (await app.audit.find(1))[0]
    ids = {"job_id": dead, "run_id": run, "worker_id": worker, "number": event.id}
    names = {"source": "mail", "target": "bulk", "kind": "task", "owner": "send"}
    return {**names, **{name: str(value) for name, value in ids.items()}}
