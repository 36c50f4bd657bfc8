"""`holdfast queues move`, `rebalance`, and the pairs of queues."""

from tests.cli.command import holdfast

PAIR_KEYS = {"from_queue", "to_queue", "ratio", "least_depth", "max_jobs", "condition", "moved_at"}
ROUND_KEYS = {"from_queue", "to_queue", "from_ready", "to_ready", "ratio", "jobs", "result"}


def test_jobs_are_moved_and_the_job_tells_of_it(database_url: str) -> None:
    job = holdfast("enqueue", "greet", "--queue", "a", url=database_url).out.strip()
    holdfast("enqueue", "greet", "--queue", "a", "--delay", "1h", url=database_url)
    holdfast("queues", "set", "b", "priority=70", url=database_url)
    move = ("queues", "move", "a", "b", "--reason", "too many")
    document = holdfast(*move, "--limit", "1", "--json", url=database_url).document
    assert document == {"from": "a", "to": "b", "ready": 1, "scheduled": 0}
    assert holdfast(*move, url=database_url).out == "moved: 1 job from a to b\n"
    shown = holdfast("jobs", "show", job, url=database_url, COLUMNS="140").out
    assert "from a to b: too many" in shown
    assert "It was moved from queue a to b" in holdfast("explain", job, url=database_url, COLUMNS="140").out
    assert holdfast("queues", "move", "a", "nowhere", "--reason", "why", url=database_url).code == 5


def test_a_pair_is_set_rebalanced_listed_and_removed(database_url: str) -> None:
    holdfast("enqueue", "greet", "--queue", "a", "--count", "9", url=database_url)
    holdfast("queues", "set", "b", "priority=70", url=database_url)
    assert "no pair is set" in holdfast("queues", "rebalance", url=database_url).err
    setting = ("queues", "set-rebalance", "a", "b", "least_depth=5", "condition=$.size == null")
    assert "set: a -> b" in holdfast(*setting, "--reason", "load", url=database_url).out
    dry = holdfast("queues", "rebalance", "--dry-run", "--json", url=database_url).document["pairs"]
    assert (dry[0].keys(), dry[0]["result"], dry[0]["jobs"]) == (ROUND_KEYS, "none_eligible", 0)
    holdfast("queues", "set-rebalance", "a", "b", "condition=null", url=database_url)
    assert "would move" in holdfast("queues", "rebalance", "--dry-run", url=database_url, COLUMNS="140").out
    assert " moved " in holdfast("queues", "rebalance", url=database_url, COLUMNS="140").out
    listed = holdfast("queues", "list-rebalance", "--json", url=database_url).document["pairs"]
    assert (listed[0].keys(), listed[0]["least_depth"]) == (PAIR_KEYS, 5)
    removed = holdfast("queues", "remove-rebalance", "a", "b", url=database_url)
    assert removed.out == "removed: a -> b\n"
    assert holdfast("queues", "list-rebalance", "--json", url=database_url).document == {"pairs": []}
