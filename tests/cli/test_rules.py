"""`holdfast rules`: the verbs, and the shape of what they print."""

from pathlib import Path

from tests.cli.command import Result, holdfast
from tests.cli.scene import rows

LARGE = 'condition=$.payload.size == "large"'


def test_a_rule_is_added_changed_tested_disabled_and_removed(database_url: str) -> None:
    def run(*words: str) -> Result:
        return holdfast("rules", *words, url=database_url)

    of = ("--task", "capture")
    assert run("add", "large", LARGE, "points=7", "queue=bulk", *of, "--reason", "load").code == 0
    again = run("add", "large", LARGE, "points=7", *of)
    assert (again.code, "already has a rule large" in again.err) == (6, True)
    assert "points   7       9" in run("set", "large", "points=9", *of).out
    assert run("set", "base=10", *of, "--json").document["changes"] == [
        {"setting": "base", "before": None, "after": 10}
    ]
    (listed,) = run("list", "--json").document["rules"]
    assert (listed["kind"], listed["owner"], listed["points"], listed["base"]) == ("task", "capture", 9, 10)
    assert "large" in run("list", *of).out

    shown = run("test", "capture", '{"size": "large"}')
    assert (
        shown.lines[0]
        == "queue bulk, priority 19; judged by the rules of task capture, for the origin automatic"
    )
    assert '$.payload.size is "large"' in shown.out
    assert "$.payload.size is absent" in run("test", "capture").out
    assert run("test", "capture", "--json").document["priority"] == 10

    assert run("disable", "large", *of).code == 0
    assert "judged by the rules of nothing" in run("test", "capture").out
    assert run("enable", "large", *of).code == 0
    assert run("remove", "large", *of, "--reason", "done").out == "removed: large\n"
    trail = rows(database_url, "select cause, reason from holdfast.event_view order by at")
    assert [tuple(row) for row in trail] == [
        ("set_rule", "load"),
        ("set_rule", None),
        ("set_rule_set", None),
        ("set_rule", None),
        ("set_rule", None),
        ("remove_rule", "done"),
    ]


def test_what_is_wrong_is_said_with_a_hint(database_url: str, tmp_path: Path) -> None:
    wrong = [
        (2, ["add", "x", "condition=$.a ==", "points=1", "--task", "t"]),
        (2, ["add", "x", LARGE, "points=1"]),
        (2, ["add", "x", LARGE, "points=1", "--task", "t", "--queue", "q"]),
        (5, ["set", "x", "points=1", "--task", "t"]),
        (5, ["remove", "x", "--queue", "q"]),
        (2, ["import", str(tmp_path / "none.toml"), "--task", "t"]),
        (2, ["import", "repo-capture", "--task", "t", "--route", "bulk"]),
    ]
    for code, words in wrong:
        refused = holdfast("rules", *words, url=database_url)
        assert (refused.code, "\nhint: " in refused.err) == (code, True), (words, refused.err)


def test_the_preset_is_imported_with_queues_of_your_own(database_url: str) -> None:
    command = ("rules", "import", "repo-capture", "--task", "capture", "--route", "real-time=inngest")
    assert holdfast(*command, url=database_url).out == "rules: 21, changed: 22\n"
    assert holdfast(*command, url=database_url).out == "rules: 21, changed: 0\n"
    shown = holdfast("rules", "test", "capture", '{"max_items": 5}', "--json", url=database_url).document
    assert shown["queue"] == "inngest"


def test_a_test_says_for_which_origin_it_judges(database_url: str) -> None:
    holdfast("rules", "import", "repo-capture", "--task", "capture", url=database_url)
    for more, line in (
        ([], "queue bulk, priority 10; judged by the rules of task capture, for the origin automatic"),
        (
            ["--origin", "manual"],
            "queue bulk, priority 20; judged by the rules of task capture, for the origin manual",
        ),
    ):
        assert holdfast("rules", "test", "capture", *more, url=database_url).lines[0] == line
    holdfast("enqueue", "capture", url=database_url)
    (job,) = rows(database_url, "select priority, origin from holdfast.job_view")
    assert tuple(job) == (20, "manual")
