"""What cannot be meant is a usage error, before anything is measured."""

import sys

import pytest

from bench.arguments import ON_OTHERS, ON_POSTGRES, arguments


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("peers --only pgqueuer nosuch", f"peers has no nosuch; it knows {', '.join(ON_POSTGRES)}"),
        ("peers --only nosuch", ", ".join(ON_OTHERS)),
        ("peers --only celery", "celery is measured with --redis only"),
        ("held --only saq", "held has no saq; it knows pgqueuer, procrastinate"),
        ("limit --only pgqueuer", "--only is for peers, held, mixed"),
        ("mixed --only celery", "mixed has no celery; it knows pgqueuer, procrastinate, chancy"),
        ("peers --against HEAD", "--against is for mixed and drain"),
        ("--write-docs --against HEAD", "--against is for mixed and drain"),
        ("peers --runs 0", "argument --runs: 0 is below 1"),
        ("peers --jobs -1", "argument --jobs: -1 is below 1"),
        ("held --seconds 0", "argument --seconds: 0 is below 1"),
        ("held --minutes 0", "argument --minutes: 0 is below 1"),
        ("depth --scale 0", "argument --scale: 0 is below 0.001"),
        ("depth --scale nan", "argument --scale: nan is below 0.001, or no number"),
        ("peers --runs many", "argument --runs: invalid"),
        ("peers --write-docs --only saq", "not go with --only: the page shows whole measurements only"),
        ("peers --write-docs --runs 2", "not go with --runs below 3: the page shows whole"),
        ("depth --write-docs --runs 1", "not go with --runs below 2: the page shows whole"),
        ("load --write-docs --scale 0.5", "not go with --scale: the page shows whole"),
        ("", "name a suite"),
    ],
)
def test_a_usage_error_says_what_is_wrong(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", *line.split()])
    with pytest.raises(SystemExit) as ended:
        arguments()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        f"peers --redis --only {' '.join(ON_POSTGRES + ON_OTHERS)}",
        "held --only procrastinate --seconds 1 --runs 1",
        "depth --write-docs --runs 2",
        "peers --write-docs --runs 3",
        "mixed --only pgqueuer --against HEAD",
        "drain --against HEAD",
        "--write-docs",
    ],
)
def test_what_can_be_meant_is_taken(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", *line.split()])
    assert arguments().runs >= 1
