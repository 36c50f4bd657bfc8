import pytest

from tests.proof.needed import missing


def test_what_a_developers_machine_lacks_is_skipped_and_what_ci_lacks_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no such tool"):
        missing("no such tool")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no such tool"):
        missing("no such tool")
